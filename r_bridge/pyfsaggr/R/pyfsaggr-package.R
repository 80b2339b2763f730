#' Ensemble feature selection, rank aggregation and selection stability
#'
#' Start with [wam()] (one filter over many resamples) or [bam()] (several filters), look at the
#' result with `summary()` and `plot()`, and at the agreement of the resamples with [stability()].
#' [aggregator_influence()] compares aggregators, [evaluate()] measures the performance of classifiers on
#' the selected features, and [aggregate_ranks()] combines ranked lists.
#'
#' The work is done by the Python package pyfsagg, which starts when it is first needed; see
#' [pyfsagg_available()].
#'
#' Ctrl-C (Escape, or the stop button) ends a call by R's condition `interrupt`, and a limit of [setTimeLimit()] by
#' R's error, also in functions of R that Python calls. This waits for the end of what cannot be cut short: Python's
#' start, the import of a module,
#' the compilation of a loop and the step of a compiled one that is under way. An interrupt in the first
#' second of Python's start may keep reticulate from seeing what that Python has; the next call then asks for
#' a restart of R.
#'
#' @keywords internal
"_PACKAGE"
