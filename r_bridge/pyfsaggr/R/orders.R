#' Features on one scale: orders within samples
#'
#' For features that are measured on one scale, such as gene expression, only their order within each
#' sample is used. `eliminate_features()` removes features one by one, based on the orders in each class;
#' `make_planted_orders()` simulates orders.
#'
#' @param x A data frame or matrix of numbers, one row per sample.
#' @param y Classes.
#' @param method A name from `list_methods("eliminations")`: `"cdv"`, `"spoilers"`, `"greedy_kl"`, `"koller_sahami"`.
#' @param method_params A named list of options of the method.
#' @param weights Frequency of each row: whole numbers.
#' @param always Features that are in every subset, and last in the order.
#' @param ties Equal values of a sample: `"average"` (tied), `"ordinal"` (ordered by column), `"random"`, or
#'   refused (`"error"`).
#' @param missing `"error"`, or `"unknown"`: the place of a missing value is unknown in that sample.
#' @param tie_break Which of several equally good features to remove: `"first"`, `"last"` or `"random"`.
#' @param accuracy Whether to estimate the accuracy of naive Bayes as well: `TRUE`, or up to this number of features.
#' @param n_folds Folds of its cross-validation.
#' @param max_seconds A run that is estimated to take longer is refused; `NULL` never refuses.
#' @param seed A whole number; by default drawn by R if needed.
#' @param cores,progress As in [wam()].
#' @param ... `checkpoint`, `scratch` and `memory_limit` ([settings]).
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @param n_classes,n_per_class Sizes.
#' @param n_extraneous,n_redundant Number of uninformative features, and of features that repeat another one.
#' @param shuffle Whether columns are put into a random order.
#' @return `eliminate_features()` returns a list with `removal_order` (names, first removed first), `divergence`
#'   in nats of the remaining features after 0, 1, ... removals, `accuracy` if requested, and `table`, for which
#'   [selected()] has the features kept longest; `make_planted_orders()` returns a list with `X` and `y`.
#' @name orders
#' @examples
#' if (pyfsagg_available()) {
#'   made <- make_planted_orders(n_classes = 3, n_per_class = 8, n_extraneous = 3, seed = 1)
#'   found <- eliminate_features(made$X, made$y, "spoilers", progress = FALSE)
#'   selected(found, 3)
#' }
NULL

#' @rdname selected
#' @export
selected.pyfsagg_elimination <- function(object, n = 0.25, ...) {
  best_of(rev(object$removal_order), n)
}

#' @rdname selected
#' @export
selected.pyfsagg_consensus_ranking <- function(object, n = NULL, ...) {
  if (is.null(n)) object$table$feature[object$table$selected] else best_of(object$table$feature, n)
}

best_of <- function(features, n, or = "") {
  p <- length(features)
  if (!is_number(n) || n <= 0 || n > p || (n > 1 && n != round(n))) {
    stop_pyfsagg(paste0(
      "n must be ", or, "a whole number of features from 1 to ", p, ", or a share below 1, got ", shown(n)
    ), "parameter")
  }
  features[seq_len(if (n < 1) ceiling(n * p - 1e-9) else n)]
}
