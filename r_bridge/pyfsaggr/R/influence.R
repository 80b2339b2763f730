#' How much does the choice of the aggregator matter?
#'
#' Leaves the folds of a stratified cross-validation out in turn, ranks the features on the rest by
#' every aggregator, and compares the rankings over the folds.
#'
#' The generic is that of package stats, whose methods for fitted models are as they were.
#'
#' @inheritParams wam
#' @param model A data frame or matrix of features, or a formula such as `Class ~ .`.
#' @param filter Name from [list_filters()], or a function as for [wam()].
#' @param aggregators Names from [list_aggregators()]; by default arithmetic mean, geometric mean, L2
#'   norm, Stuart and robust rank aggregation.
#' @param n_folds Number of folds.
#' @return An object of class `pyfsagg_influence`: a list with `stability` (data frame: aggregator,
#'   measure, value, interval over folds), `ranks` (folds by features, for each aggregator),
#'   `parameters`, `data` and `versions`.
#' @examples
#' if (pyfsagg_available()) {
#'   influence(Species ~ ., data = iris, n_folds = 5, n_resamples = 20, seed = 1)
#' }
#' @name influence
#' @importFrom stats influence
#' @export influence
NULL

#' @rdname influence
#' @export
influence.formula <- function(model, data, ...) {
  parts <- formula_parts(model, data)
  influence.data.frame(parts$x, parts$y, ..., target_name = parts$name)
}

#' @rdname influence
#' @export
influence.matrix <- function(model, y = NULL, ...) influence.data.frame(model, y, ...)

#' @rdname influence
#' @export
influence.data.frame <- function(model, y = NULL, filter = "information_gain", aggregators = NULL,
                                 n_folds = 100, n_resamples = 1000, seed = NULL, cores = 1,
                                 progress = interactive(), ...) {
  found <- ask("influence", run_arguments(
    model, y, seed, cores, progress, filter = filter, aggregators = aggregators, n_folds = n_folds,
    n_resamples = n_resamples, ...
  ))
  features <- unlist(found$features)
  structure(
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
    class = "pyfsagg_influence"
  )
}

influence_table <- function(x) {
  found <- x$stability
  wide <- tapply(found$value, list(found$measure, found$aggregator), mean)
  wide[unique(found$measure), unique(found$aggregator), drop = FALSE]
}

#' @export
print.pyfsagg_influence <- function(x, digits = 3, ...) {
  cat(
    "Stability of the ranking over ", nrow(x$ranks[[1]]), " folds, by aggregator\n\n", sep = ""
  )
  print(round(influence_table(x), digits), ...)
  invisible(x)
}

#' @export
summary.pyfsagg_influence <- function(object, ...) influence_table(object)

#' @export
as.data.frame.pyfsagg_influence <- function(x, ...) x$stability

#' @export
plot.pyfsagg_influence <- function(x, measure = "spearman", ...) {
  found <- x$stability[x$stability$measure == measure, ]
  if (!nrow(found)) {
    stop_pyfsagg(
      paste0("measure must be one of ", paste(unique(x$stability$measure), collapse = ", ")),
      "parameter"
    )
  }
  places <- rev(seq_len(nrow(found)))
  limits <- range(found$lower, found$upper, found$value, na.rm = TRUE)
  old <- graphics::par(mar = c(4, 11, 2, 1))
  on.exit(graphics::par(old))
  graphics::plot(
    found$value, places, xlim = limits, ylim = c(0.5, nrow(found) + 0.5), yaxt = "n", ylab = "",
    xlab = paste0(measure, ", with interval over folds"), pch = 19, col = "#0072B2", ...
  )
  graphics::segments(found$lower, places, found$upper, places, col = "#0072B2")
  graphics::axis(2, places, gsub("_", " ", found$aggregator), las = 1)
  invisible(found)
}
