#' Ensembles as filters of the package mlr3filters
#'
#' Where mlr3filters is loaded, its dictionary has two filters of this package:
#' `mlr3filters::flt("pyfsagg_wam")`, one filter over resamples as in [wam()], and `flt("pyfsagg_bam")`,
#' several as in [bam()]. The scores are those of the ensemble, large is important.
#'
#' The parameters are the arguments of [wam()] or [bam()] and the [settings] of a run, by their names;
#' `set.seed()` decides unless `seed` is set. What belongs to the rows comes from the task: whether the
#' target contains classes, numbers or survival times; for a task without a target only filters that need
#' none will do; groups are those of the role `group`, and resamples then have whole groups unless
#' `resampling` is set; weights, whole numbers, are those of the role `weight` (`weights_learner` in newer
#' versions of mlr3). Missing values are handed on, and a filter that cannot use them says so.
#'
#' @name mlr3filters
#' @examples
#' \donttest{
#' if (pyfsagg_available() && requireNamespace("mlr3filters", quietly = TRUE)) {
#'   ranking <- mlr3filters::flt("pyfsagg_wam")
#'   ranking$param_set$values <- list(filter = "chi_squared", n_resamples = 20, seed = 1)
#'   ranking$calculate(mlr3::as_task_classif(iris, target = "Species"))
#'   ranking$scores
#' }
#' }
NULL

# Do something when a package is loaded, or now if it is.
when_loaded <- function(package, act) {
  if (isNamespaceLoaded(package)) act() else setHook(packageEvent(package, "onLoad"), function(...) act())
}

add_mlr3_filters <- function() {
  mlr3filters::mlr_filters$add("pyfsagg_wam", mlr3_filter("wam", "Within-Aggregation", wam.default))
  mlr3filters::mlr_filters$add("pyfsagg_bam", mlr3_filter("bam", "Between-Aggregation", bam.default))
}

# The class of one filter; what it is a kind of is known only when mlr3filters is there.
mlr3_filter <- function(method, title, run) {
  R6::R6Class(
    paste0("FilterPyfsagg", substring(title, 1, regexpr("-", title) - 1)),
    inherit = mlr3filters::Filter,
    public = list(
      initialize = function() {
        super$initialize(
          id = paste0("pyfsagg_", method), task_types = NA_character_, param_set = mlr3_parameters(run),
          feature_types = c("logical", "integer", "numeric", "character", "factor", "ordered"),
          packages = "pyfsaggr", label = title, man = "pyfsaggr::mlr3filters"
        )
      }
    ),
    private = list(
      .calculate = function(task, nfeat) {
        found <- do.call(run, mlr3_arguments(task, self$param_set$values))
        scores_of_columns(found)[task$feature_names]
      },
      .get_properties = function() "missings"
    )
  )
}

mlr3_parameters <- function(run) {
  any <- paradox::p_uty
  count <- function(low, ...) paradox::p_int(low, ...)
  own <- intersect(c("filter", "filters"), names(formals(run)))
  do.call(paradox::ps, c(
    stats::setNames(list(any(default = eval(formals(run)[[own]]))), own),
    list(
      aggregator = any(default = formals(run)$aggregator),
      n_resamples = count(1L, default = as.integer(formals(run)$n_resamples), special_vals = list("auto")),
      resampling = any(default = formals(run)$resampling),
      seed = count(0L), cores = count(1L, default = 1L, tags = "threads"),
      filter_params = any(), aggregator_params = any(), resampling_params = any(), precision = any(),
      pairs = count(0L, special_vals = list("auto")), shuffles = count(0L, special_vals = list("auto")),
      nominal = any(), target_bins = count(2L), adjust = any(), always = any(),
      drop_near_zero_variance = paradox::p_lgl(),
      feature_groups = any(), group_score = any(), checkpoint = any(), scratch = any(), memory_limit = any(),
      normalize = any()
    )
  ))
}

# The columns of a group have its score.
scores_of_columns <- function(found) {
  scores <- found$scores
  for (group in names(found$groups)) scores[found$groups[[group]]] <- found$scores[[group]]
  scores
}

mlr3_arguments <- function(task, values) {
  if (task$task_type == "regr") values$task <- "regression"
  groups <- task$groups
  if (!is.null(groups)) {
    values$groups <- groups$group
    if (is.null(values$resampling)) values$resampling <- "grouped_bootstrap"
  }
  # A task of newer versions has weights of several kinds.
  weights <- if ("weights_learner" %in% names(task)) task$weights_learner else task$weights
  if (!is.null(weights)) values$weights <- weights$weight
  x <- as.data.frame(task$data(cols = task$feature_names))
  c(list(x = x, y = if (is.function(task$truth)) task$truth(), progress = FALSE), values)
}
