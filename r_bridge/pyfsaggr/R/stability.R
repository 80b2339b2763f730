#' How far do resamples agree?
#'
#' @param x A result of [wam()] or [bam()]; a numeric matrix of scores (resamples by features, large
#'   is important); a logical matrix of selections; or a list of character vectors, the selected
#'   features of each resample.
#' @param measures Names from [list_stability_measures()]; by default all that apply.
#' @param n_features How many features there were to choose from; for lists.
#' @param top For measures of selections on scores: how many features are selected, a number or a
#'   share.
#' @param level Confidence level of the intervals.
#' @param input For a numeric matrix: `"scores"` or `"ranks"` (1 is the best).
#' @param ties What equal scores that compete for the last places of a selection count as:
#'   `"random"` (the mean over all their orders) or `"first"` (the first columns, as in published
#'   results).
#' @param seed Seed of drawn orders of ties.
#' @param ... Arguments of the default method.
#' @return A data frame of class `pyfsagg_stability` with one row for each measure: value, interval and
#'   `n_tied`, in how many resamples equal scores compete for places. The intervals are about resamples
#'   drawn in the same way: the run repeated with another seed, if they come from one data set.
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 30, seed = 1)
#'   stability(result, c("pearson", "spearman", "jaccard"))
#'   stability(list(c("a", "b"), c("a", "c"), c("a", "b")), n_features = 10)
#' }
#' @export
stability <- function(x, ...) UseMethod("stability")

#' @rdname stability
#' @export
stability.pyfsagg_ensemble <- function(x, ...) stability.default(x$combined, ...)

#' @rdname stability
#' @export
stability.default <- function(x, measures = NULL, n_features = NULL, top = 0.25, level = 0.95,
                              input = c("scores", "ranks"), ties = c("random", "first"), seed = 0,
                              ...) {
  ties <- match.arg(ties)
  if (is.matrix(x) && is.logical(x)) {
    kind <- "sets"
    data <- unname(x)
  } else if (is.matrix(x) && is.numeric(x)) {
    kind <- match.arg(input)
    data <- unname(x)
    storage.mode(data) <- "double"
  } else if (is.list(x) && !is.data.frame(x)) {
    kind <- "lists"
    data <- lapply(unname(x), function(one) as.list(enc2utf8(as.character(one))))
  } else {
    stop_pyfsagg(
      paste0("x must be a result, a matrix or a list of character vectors, not ", describe(x)),
      "input_type"
    )
  }
  found <- as_frame(ask("stability", list(
    kind = kind, data = data, measures = if (!is.null(measures)) as.list(measures),
    n_features = if (!is.null(n_features)) as.integer(n_features),
    top = if (top >= 1) as.integer(top) else top, level = level, ties = ties,
    seed = as.integer(seed)
  )))
  structure(found, class = c("pyfsagg_stability", "data.frame"))
}

#' @export
print.pyfsagg_stability <- function(x, digits = 3, ...) {
  shown <- as.data.frame(x)[intersect(c("measure", "value", "lower", "upper", "note"), names(x))]
  if (!any(nzchar(shown$note) & !is.na(shown$note))) shown$note <- NULL
  print(shown, digits = digits, row.names = FALSE, ...)
  tied <- suppressWarnings(max(x$n_tied))
  if (is.finite(tied) && tied > 0) {
    cat("In", tied, "resamples equal scores compete for the last selected places: their order is",
        "arbitrary, and the values are means over their orders.\n")
  }
  invisible(x)
}

#' @export
as.data.frame.pyfsagg_stability <- function(x, ...) {
  class(x) <- "data.frame"
  x
}
