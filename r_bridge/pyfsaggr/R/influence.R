#' How much does the choice of the aggregator matter?
#'
#' Omits each fold of a stratified cross-validation in turn, ranks the features on the rest by
#' every aggregator, and compares the rankings over the folds.
#'
#' `influence()` of data frames, matrices and formulas does the same; it is the generic of the package
#' stats, whose methods for fitted models do not change.
#'
#' @inheritParams wam
#' @param model The same as `x`; the generic `influence()` uses this name.
#' @param filter Name from `list_methods("filters")`, or a function as for [wam()].
#' @param aggregators Names from `list_methods("aggregators")`; by default arithmetic mean, geometric mean, L2
#'   norm, Stuart and robust rank aggregation.
#' @param n_folds Number of folds, at most the number of rows of the smallest class.
#' @param n_resamples Number of resamples.
#' @param ... Arguments of the default method, and any of the [settings] by their names; also
#'   `method = "bam"` with several names as `filter`, `save` and `report`.
#' @return An object of class `pyfsagg_influence`: a list with `stability` (data frame: aggregator,
#'   measure, value, interval over folds), `ranks` (folds by features, for each aggregator),
#'   `parameters`, `data`, `versions` and `call`.
#' @examples
#' if (pyfsagg_available()) {
#'   aggregator_influence(Species ~ ., data = iris, n_folds = 5, n_resamples = 20, seed = 1)
#'   influence(Species ~ ., data = iris, n_folds = 3, n_resamples = 5, seed = 1)
#' }
#' @aliases influence
#' @export
aggregator_influence <- function(x, ...) UseMethod("aggregator_influence", table_or_formula(x, ...))

#' @rdname aggregator_influence
#' @export
aggregator_influence.formula <- function(x, data, subset = NULL, na.action = NULL, ...) {
  called(with_formula(
    aggregator_influence.default, x, data, substitute(subset), na.action, ..., frame = parent.frame()
  ))
}

#' @rdname aggregator_influence
#' @export
aggregator_influence.default <- function(x, y = NULL, filter = "information_gain", aggregators = NULL,
                                         n_folds = 100, n_resamples = 1000, seed = NULL, cores = 1,
                                         progress = interactive(), ...) {
  if (identical(list(...)$method, "bam")) filter <- structure(read_filters(filter, "filter"), read = TRUE)
  called(run_python("influence", run_arguments(
    x, y, seed, cores, progress, filter = filter,
    aggregators = if (!is.null(aggregators)) check_words(aggregators, "aggregators"),
    n_folds = n_folds, n_resamples = check_count(n_resamples, "n_resamples"), ...
  )))
}

#' @importFrom stats influence
#' @export influence
NULL

#' @rdname aggregator_influence
#' @export
influence.formula <- function(model, ...) {
  called(if (missing(model)) aggregator_influence(...) else aggregator_influence(model, ...))
}

#' @rdname aggregator_influence
#' @export
influence.matrix <- function(model, ...) {
  called(if (missing(model)) aggregator_influence(...) else aggregator_influence(model, ...))
}

#' @rdname aggregator_influence
#' @export
influence.data.frame <- function(model, ...) {
  called(if (missing(model)) aggregator_influence(...) else aggregator_influence(model, ...))
}

influence_result <- function(found) {
  features <- unlist(found$features)
  as_result(
    list(
      stability = as_frame(found$stability),
      ranks = lapply(found$ranks, function(matrix) {
        dimnames(matrix) <- list(NULL, features)
        matrix
      }),
      parameters = found$parameters,
      data = found$data,
      versions = found$versions
    ),
    "influence", files = found$files
  )
}

influence_table <- function(x) {
  found <- x$stability
  wide <- tapply(found$value, list(found$measure, found$aggregator), mean)
  wide[unique(found$measure), unique(found$aggregator), drop = FALSE]
}

#' @export
print.pyfsagg_influence <- function(x, n = Inf, digits = 3, ...) {
  cat(
    "Stability of the ranking over ", nrow(x$ranks[[1]]), " folds, by aggregator\n\n", sep = ""
  )
  print(utils::head(round(influence_table(x), digits), min(n, nrow(influence_table(x)))), ...)
  invisible(x)
}

#' @export
summary.pyfsagg_influence <- function(object, ...) influence_table(object)


