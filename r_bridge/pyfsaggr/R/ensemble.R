#' Rank features by an ensemble of filters over resamples
#'
#' `wam()` scores the features by one filter in every resample and aggregates the scores (within
#' aggregation); `bam()` combines several filters (between aggregation).
#'
#' @param x A data frame or matrix of features, or a formula such as `Class ~ .`. Factors and text
#'   are nominal, `NA` is missing; integers, logicals and numbers keep their meaning.
#' @param y Class labels: a factor, text, logicals or a few different numbers; numbers with
#'   `task = "regression"`; no `NA`. `NULL` for filters that need no target, such as `"frcm"`.
#' @param data A data frame, for the formula.
#' @param filter,filters Names from [list_filters()], or for `wam()` a function of a matrix `x`,
#'   labels `y` and `weight` (how often each row is in the resample) that gives one score for each
#'   feature, larger for more important ones.
#' @param aggregator A name from [list_aggregators()].
#' @param n_resamples Number of resamples, or `"auto"`: until a repetition would select nearly the
#'   same features.
#' @param resampling A name from [list_resampling_plans()].
#' @param seed A whole number that makes the run repeatable. By default it is drawn by R, so that
#'   `set.seed()` decides.
#' @param cores Number of threads; the result does not depend on it.
#' @param progress Show a progress bar.
#' @param ... Arguments of the default method, and any of the [settings] by their names: `groups`,
#'   `task`, `nominal`, `filter_params`, `checkpoint`, ...
#' @return An object of class `pyfsagg_ensemble`: a list with `ranking` (data frame, best first:
#'   rank, score, 95 % interval of the ranks over resamples, selection frequency among the best
#'   quarter with its interval, mean score per filter), `scores` and `ranks` (named vectors),
#'   `score_matrices` (resamples by features, one matrix for each filter), `combined` (what was
#'   aggregated), `parameters`, `data` and `versions`; and `between_samples`, a data frame that says how
#'   far two samples of half the size would agree (sets, ranks and scores, with limits that are about
#'   the population), or `NULL` with `pairs = 0` or few resamples. It holds nothing of Python, so
#'   that `saveRDS()` keeps all of it.
#' @seealso [selected()], [stability()], [evaluate()]
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 50, seed = 1)
#'   result
#'   selected(result, 2)
#'   bam(iris[1:4], iris$Species, n_resamples = 20, seed = 1)
#' }
#' @export
wam <- function(x, ...) UseMethod("wam")

#' @rdname wam
#' @export
wam.formula <- function(x, data, ...) {
  parts <- formula_parts(x, data)
  wam.default(parts$x, parts$y, ..., target_name = parts$name)
}

#' @rdname wam
#' @export
wam.default <- function(x, y = NULL, filter = "information_gain", aggregator = "arithmetic_mean",
                        n_resamples = 1000, resampling = "bootstrap", seed = NULL, cores = 1,
                        progress = interactive(), ...) {
  if (is.function(filter) && cores != 1) {
    stop_pyfsagg("an R function as filter runs on one core only; set cores = 1", "parameter")
  }
  run_ensemble(
    "wam", x, y, seed, cores, progress, filter = filter, aggregator = aggregator,
    n_resamples = n_resamples, resampling = resampling, ...
  )
}

#' @rdname wam
#' @export
bam <- function(x, ...) UseMethod("bam")

#' @rdname wam
#' @export
bam.formula <- function(x, data, ...) {
  parts <- formula_parts(x, data)
  bam.default(parts$x, parts$y, ..., target_name = parts$name)
}

#' @rdname wam
#' @export
bam.default <- function(x, y = NULL,
                        filters = c("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared"),
                        aggregator = "arithmetic_mean", n_resamples = 1000, resampling = "bootstrap",
                        seed = NULL, cores = 1, progress = interactive(), ...) {
  run_ensemble(
    "bam", x, y, seed, cores, progress, filters = filters, aggregator = aggregator,
    n_resamples = n_resamples, resampling = resampling, ...
  )
}

run_ensemble <- function(method, x, y, seed, cores, progress, ...) {
  found <- ask("ensemble", c(list(method = method), run_arguments(x, y, seed, cores, progress, ...)))
  features <- unlist(found$features)
  named <- function(matrix) {
    dimnames(matrix) <- list(NULL, features)
    matrix
  }
  structure(
    list(
      method = found$method,
      ranking = as_frame(found$ranking),
      scores = stats::setNames(as.vector(found$scores), features),
      ranks = stats::setNames(as.vector(found$ranks), features),
      score_matrices = lapply(found$score_matrices, named),
      combined = named(found$combined),
      parameters = found$parameters,
      data = found$data,
      versions = found$versions,
      between_samples = if (!is.null(found$between_samples)) as_frame(found$between_samples)
    ),
    class = "pyfsagg_ensemble"
  )
}

#' The best features of a ranking
#'
#' @param object A result of [wam()] or [bam()].
#' @param n How many features (a whole number of at least 1), or which share of them (below 1).
#' @param ... Not used.
#' @return Names of features, best first.
#' @examples
#' if (pyfsagg_available()) {
#'   selected(wam(Species ~ ., data = iris, n_resamples = 20, seed = 1), 0.5)
#' }
#' @export
selected <- function(object, n = 0.25, ...) UseMethod("selected")

#' @rdname selected
#' @export
selected.pyfsagg_ensemble <- function(object, n = 0.25, ...) {
  p <- nrow(object$ranking)
  if (!is.numeric(n) || length(n) != 1L || is.na(n) || n <= 0 || n > p) {
    stop_pyfsagg(
      paste0("n must be a number of features from 1 to ", p, ", or a share below 1"), "parameter"
    )
  }
  object$ranking$feature[seq_len(if (n < 1) ceiling(n * p - 1e-9) else n)]
}

#' What there is to choose from
#'
#' @return A data frame with one row for each filter, aggregator, stability measure or resampling
#'   plan.
#' @examples
#' if (pyfsagg_available()) {
#'   list_filters()[, c("name", "summary")]
#' }
#' @export
list_filters <- function() as_frame(ask("catalogue", list(of = "filters")))

#' @rdname list_filters
#' @export
list_aggregators <- function() as_frame(ask("catalogue", list(of = "aggregators")))

#' @rdname list_filters
#' @export
list_stability_measures <- function() as_frame(ask("catalogue", list(of = "stability_measures")))

#' @rdname list_filters
#' @export
list_resampling_plans <- function() as_frame(ask("catalogue", list(of = "resampling_plans")))
