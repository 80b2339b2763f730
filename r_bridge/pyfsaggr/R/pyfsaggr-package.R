#' Ensemble feature selection, rank aggregation and selection stability
#'
#' Start with [wam()] (one filter over many resamples) or [bam()] (several filters), look at the
#' result with `summary()` and `plot()`, ask [stability()] how far the resamples agree,
#' [aggregator_influence()] how much the aggregator matters and [evaluate()] what the selected features are
#' worth. [aggregate_ranks()] combines ranked lists.
#'
#' The work is done by the Python package pyfsagg, which starts when it is first needed; see
#' [pyfsagg_available()].
#'
#' @keywords internal
"_PACKAGE"
