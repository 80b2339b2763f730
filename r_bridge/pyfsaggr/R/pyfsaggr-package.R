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
#' @keywords internal
"_PACKAGE"
