#' Features on one scale: orders within samples
#'
#' For features that are measured on one scale, such as the expression of genes, only their order inside each
#' sample is used. `eliminate_features()` removes features one by one by what the orders of each class
#' say; the others are its parts: orders and boolean orders of a table, their centre and concordance, how far
#' the classes diverge in a subset of the features, and simulated orders.
#'
#' @param x A data frame or matrix of numbers, one row per sample.
#' @param y Classes.
#' @param method A name from `list_eliminations()`: `"cdv"`, `"spoilers"`, `"greedy_kl"`, `"koller_sahami"`.
#' @param method_params A named list of options of the method.
#' @param weights How often each row counts: whole numbers.
#' @param ties What equal values of a sample are: `"average"`, `"first"` or `"random"`.
#' @param missing `"error"`, or `"last"`: a missing value stands behind all others.
#' @param tie_break Which of several features goes that are equally good to remove: `"first"` or `"random"`.
#' @param accuracy Whether naive Bayes is judged on the way as well: `TRUE`, or up to so many features.
#' @param n_folds Folds of its cross-validation.
#' @param max_seconds A run that is estimated to take longer is refused; `NULL` never refuses.
#' @param seed A whole number; by default R draws one where something is drawn.
#' @param cores,progress As in [wam()].
#' @param ... `checkpoint`, `scratch` and `memory_limit` ([settings]).
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @param features Names of features, or their numbers from 1.
#' @param unit `"nats"` or `"bits"`.
#' @param space `"orders"` or `"boolean"`.
#' @param first,second Two orders: ranks of the same features.
#' @param alpha Pseudo-count of naive Bayes.
#' @param max_size,n_subsets Up to which size, and how many, random subsets are judged.
#' @param n_samples,n_features,n_classes,n_per_class Sizes.
#' @param n_extraneous,n_redundant How many features say nothing, and how many repeat another one.
#' @param shuffle Whether columns are put into a random order.
#' @param min_concordance,max_concordance Bounds of the agreement within a class.
#' @return `eliminate_features()` returns a list with `removal_order` (names, first removed first), `divergence`
#'   in nats of what is left after 0, 1, ... removals, `accuracy` if asked for, and `table`, for which
#'   [selected()] has the features kept longest; the tables of orders are data frames; values for each
#'   feature or sample are vectors with names; `make_planted_orders()` and `make_concordant_orders()` return
#'   lists with `X` and `y`.
#' @name orders
#' @examples
#' if (pyfsagg_available()) {
#'   made <- make_planted_orders(n_classes = 3, n_per_class = 8, n_extraneous = 3, seed = 1)
#'   found <- eliminate_features(made$X, made$y, "spoilers", progress = FALSE)
#'   selected(found, 3)
#'   spearman_distance(c(1, 2, 3), c(2, 1, 3))
#' }
NULL

#' @rdname orders
#' @export
eliminate_features <- function(x, y, method = "cdv", method_params = NULL, weights = NULL, ties = "average",
                               missing = "error", tie_break = "first", accuracy = FALSE, n_folds = 5,
                               max_seconds = 3600, seed = NULL, cores = 1, progress = interactive(),
                               save = NULL, report = NULL, ...) {
  call_python("eliminate_features", table = "x", target = "y", more = list(...))
}

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

best_of <- function(features, n) {
  p <- length(features)
  if (!is_number(n) || n <= 0 || n > p) {
    stop_pyfsagg(paste0("n must be a number of features from 1 to ", p, ", or a share below 1"), "parameter")
  }
  features[seq_len(if (n < 1) ceiling(n * p - 1e-9) else n)]
}

#' @rdname orders
#' @export
list_eliminations <- function() call_python("list_eliminations")

#' @rdname orders
#' @export
elimination_seconds <- function(method, n_samples, n_features, n_classes = 2) call_python("elimination_seconds")

#' @rdname orders
#' @export
to_rank_order <- function(x, ties = "average", missing = "error", seed = NULL) {
  call_python("to_rank_order", table = "x")
}

#' @rdname orders
#' @export
to_boolean_order <- function(x, ties = "average", missing = "error", seed = NULL) {
  call_python("to_boolean_order", table = "x")
}

#' @rdname orders
#' @export
project_orders <- function(x, features, ties = "average", missing = "error", seed = NULL) {
  features <- feature_names(x, features)
  call_python("project_orders", table = "x")
}

#' @rdname orders
#' @export
order_center <- function(x, ties = "average") call_python("order_center", table = "x")

#' @rdname orders
#' @export
class_centers <- function(x, y, ties = "average") call_python("class_centers", table = "x", target = "y")

#' @rdname orders
#' @export
order_concordance <- function(x) call_python("order_concordance", table = "x")

#' @rdname orders
#' @export
spoiler_counts <- function(x, y, weights = NULL, ties = "average", missing = "error", seed = NULL) {
  call_python("spoiler_counts", table = "x", target = "y")
}

#' @rdname orders
#' @export
subset_divergence <- function(x, y, features, unit = "nats", space = "orders", ties = "average",
                              missing = "error", seed = NULL) {
  features <- feature_names(x, features)
  call_python("subset_divergence", table = "x", target = "y")
}

#' @rdname orders
#' @export
instance_divergence <- function(x, y, features, unit = "nats", space = "orders", ties = "average",
                                missing = "error", seed = NULL) {
  features <- feature_names(x, features)
  call_python("instance_divergence", table = "x", target = "y")
}

#' @rdname orders
#' @export
order_accuracy <- function(x, y, features = NULL, n_folds = 5, alpha = 1, ties = "average", missing = "error",
                           seed = 0) {
  features <- feature_names(x, features)
  call_python("order_accuracy", table = "x", target = "y")
}

#' @rdname orders
#' @export
random_subset_baseline <- function(x, y, max_size = 30, n_subsets = 100, n_folds = 5, ties = "average",
                                   missing = "error", seed = 0) {
  call_python("random_subset_baseline", table = "x", target = "y")
}

#' @rdname orders
#' @export
inversion_counts <- function(first, second) call_python("inversion_counts")

#' @rdname orders
#' @export
kendall_distance <- function(first, second) call_python("kendall_distance")

#' @rdname orders
#' @export
spearman_distance <- function(first, second) call_python("spearman_distance")

#' @rdname orders
#' @export
make_planted_orders <- function(n_classes = 7, n_per_class = 20, n_extraneous = 4, n_redundant = 0,
                                shuffle = TRUE, seed = NULL) {
  call_python("make_planted_orders")
}

#' @rdname orders
#' @export
make_concordant_orders <- function(n_classes = 5, n_per_class = 100, n_features = 25, min_concordance = 0.1,
                                   max_concordance = 0.9, seed = NULL) {
  call_python("make_concordant_orders")
}
