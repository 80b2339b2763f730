#' Filters, levels and columns without resampling
#'
#' `score_features()` computes one filter on the table without resampling. `discretize()` bins numeric features,
#' by the classes or into equal parts. `near_zero_variance()` finds features of one value, or with one
#' dominant value among few. `martingale_residuals()` are the numbers that represent survival times if a
#' filter needs a number.
#'
#' @inheritParams wam
#' @param y Classes (factor, text), numbers, or a `Surv` of the package survival.
#' @param filter A name from `list_methods("filters")`.
#' @param weights Frequency of each row: whole numbers.
#' @param nominal Names or numbers of columns that are nominal, whatever their type.
#' @param task `"classification"`, `"regression"` or `"survival"`; by default according to `y`.
#' @param ... Options of the filter, such as `bins`, `statistic`, `mdl`, `n_features`; see
#'   `list_methods("filters")`.
#' @param method `"mdl"` (by the classes, Fayyad and Irani), `"equal_width"` or `"equal_frequency"`.
#' @param mdl `"textbook"`, or `"fselectorrcpp"` for the reading of the package FSelectorRcpp.
#' @param bins Number of bins of the two other methods.
#' @param frequency_ratio,unique_percent A feature is nearly constant if its most frequent value is more than this many
#'   times as frequent as the next one, and its distinct values are at most this percentage of the rows.
#' @param ties How tied times are handled: `"efron"` or `"breslow"`.
#' @return `score_features()` returns a vector with the names of the features, larger for more important ones
#'   (of `"mrmr"`, `"jmi"` and their relatives the criterion of praznik, with the attribute `order`, the
#'   features in the order of their selection);
#'   `discretize()` a list with `cutpoints` (a value above a cut goes up), `levels` of nominal features, `codes` and
#'   `table` (from 0, -1 for missing values); `near_zero_variance()` a list with a `table`;
#'   `martingale_residuals()` numbers.
#' @name filters
#' @examples
#' if (pyfsagg_available()) {
#'   score_features(iris[1:4], iris$Species, "chi_squared", bins = 5)
#'   discretize(iris[1:4], iris$Species)$cutpoints
#'   near_zero_variance(cbind(iris[1:4], one = 1))
#'   times <- cbind(time = c(2, 3, 5), status = c(1, 0, 1))
#'   martingale_residuals(structure(times, type = "right", class = "Surv")) # as of survival::Surv()
#' }
NULL

#' @rdname filters
#' @export
score_features <- function(x, y = NULL, filter = "information_gain", weights = NULL, nominal = NULL,
                           task = NULL, ...) {
  table <- table_parts(x)
  same_order(list(x = x, y = y, weights = weights))
  features <- unlist(table$names)
  settings <- list(weights = weights, nominal = nominal, task = task)
  for (name in names(settings)) settings[name] <- list(read_setting(settings[[name]], name, nrow(x), features))
  task <- task_of(y, settings$task)
  found <- ask("score_features", list(
    table = table, target = target_parts(y, task = task), filter = check_string(filter, "filter"),
    task = task, weights = settings$weights, nominal = settings$nominal,
    options = Map(python_value, list(...), names(list(...)))
  ))
  scores <- stats::setNames(as.vector(found$scores), features)
  if (!is.null(found$order)) attr(scores, "order") <- unlist(found$order)
  scores
}

# Names of features, which may be given by their numbers, from 1.
feature_names <- function(x, features, name = "features") {
  if (!is.numeric(features)) return(features)
  known <- columns_of(x)
  if (anyNA(match(features, seq_along(known)))) {
    refuse_argument(name, paste("names of features, or numbers from 1 to", length(known)), features)
  }
  known[features]
}

# A vector with a value for each feature of x, by its name.
by_feature <- function(values, x) if (is.null(dim(values))) stats::setNames(values, columns_of(x)) else values

columns_of <- function(x) if (is.data.frame(x)) names(x) else names_of(x)
