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
#' @param row_indices Matrix with a row for each resample that holds row numbers (from 1), to repeat
#'   a run made elsewhere.
#' @param groups Group of each row, for `resampling = "grouped_bootstrap"`.
#' @param weights How often each row counts: whole numbers.
#' @param nominal Names of columns to be taken as nominal whatever their type.
#' @param normalize For `bam()`: scores are brought to 0..1 `"per_resample"` or `"per_feature"`.
#' @param filter_params,aggregator_params,resampling_params Named lists of options; for `bam()`
#'   `filter_params` has one list for each filter, for instance `list(mrmr = list(n_features = 100L))`:
#'   so many features are selected one by one (`"all"`: all of them; `"auto"`, the default: all of up to
#'   300 features, 100 of more), the others keep the criterion of the last step.
#' @param drop_near_zero_variance Leave features out that hardly vary.
#' @param task Whether the target holds classes (`"classification"`) or numbers (`"regression"`).
#' @param seed A whole number that makes the run repeatable. By default it is drawn by R, so that
#'   `set.seed()` decides.
#' @param cores Number of threads; the result does not depend on it.
#' @param progress Show a progress bar.
#' @param ... Arguments of the default method; there, `precision`, a list with `max_change`, `top` and
#'   `maximum` that says when `n_resamples = "auto"` stops, and `checkpoint`, a folder in which finished
#'   work is kept: after a crash the same call continues from there and ends in the same numbers (with
#'   the seed that is kept there if `seed` is not given).
#' @return An object of class `pyfsagg_ensemble`: a list with `ranking` (data frame, best first:
#'   rank, score, 95 % interval of the ranks over resamples, selection frequency among the best
#'   quarter with its interval, mean score per filter), `scores` and `ranks` (named vectors),
#'   `score_matrices` (resamples by features, one matrix for each filter), `combined` (what was
#'   aggregated), `parameters`, `data` and `versions`. It holds nothing of Python, so that `saveRDS()`
#'   keeps all of it.
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
                        n_resamples = 1000, resampling = "bootstrap", row_indices = NULL,
                        groups = NULL, weights = NULL, nominal = NULL, filter_params = NULL,
                        aggregator_params = NULL, resampling_params = NULL,
                        drop_near_zero_variance = FALSE, task = "classification", seed = NULL,
                        cores = 1, progress = interactive(), ...) {
  if (is.function(filter) && cores != 1) {
    stop_pyfsagg("an R function as filter runs on one core only; set cores = 1", "parameter")
  }
  if (is.function(filter)) filter <- plain_arguments(filter)
  run_ensemble(
    "wam", x, y, list(filter = filter, filter_params = filter_params),
    aggregator = aggregator, n_resamples = n_resamples, resampling = resampling,
    row_indices = row_indices, groups = groups, weights = weights, nominal = nominal,
    aggregator_params = aggregator_params, resampling_params = resampling_params,
    drop_near_zero_variance = drop_near_zero_variance, task = task, seed = seed, cores = cores,
    progress = progress, ...
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
                        row_indices = NULL, groups = NULL, weights = NULL, nominal = NULL,
                        normalize = "per_resample", filter_params = NULL, aggregator_params = NULL,
                        resampling_params = NULL, drop_near_zero_variance = FALSE,
                        task = "classification", seed = NULL, cores = 1, progress = interactive(),
                        ...) {
  run_ensemble(
    "bam", x, y,
    list(filters = as.list(filters), filter_params = filter_params, normalize = normalize),
    aggregator = aggregator, n_resamples = n_resamples, resampling = resampling,
    row_indices = row_indices, groups = groups, weights = weights, nominal = nominal,
    aggregator_params = aggregator_params, resampling_params = resampling_params,
    drop_near_zero_variance = drop_near_zero_variance, task = task, seed = seed, cores = cores,
    progress = progress, ...
  )
}

# Without dots, so that R itself refuses a misspelt argument.
run_ensemble <- function(method, x, y, own, aggregator, n_resamples, resampling, row_indices, groups,
                         weights, nominal, aggregator_params, resampling_params,
                         drop_near_zero_variance, task, seed, cores, progress, precision = NULL,
                         checkpoint = NULL, target_name = "target") {
  arguments <- c(
    list(
      method = method,
      table = table_parts(x),
      target = target_parts(y, target_name),
      aggregator = aggregator,
      aggregator_params = aggregator_params,
      n_resamples = count_or_word(n_resamples),
      precision = precision,
      resampling = resampling,
      resampling_params = resampling_params,
      drop_near_zero_variance = drop_near_zero_variance,
      task = task,
      row_indices = if (!is.null(row_indices)) matrix(as.integer(row_indices) - 1L, nrow(row_indices)),
      groups = if (!is.null(groups)) as.list(as.character(groups)),
      sample_weight = if (!is.null(weights)) as.list(as.double(weights)),
      nominal = if (!is.null(nominal)) as.list(as.character(nominal)),
      random_state = python_seed(seed, checkpoint),
      checkpoint = folder_or_null(checkpoint),
      n_jobs = as.integer(cores),
      progress = progress_function(progress)
    ),
    own
  )
  found <- ask("ensemble", arguments)
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
      versions = found$versions
    ),
    class = "pyfsagg_ensemble"
  )
}

# Python hands over arrays and lists, where the function expects vectors.
plain_arguments <- function(filter) {
  force(filter)
  function(x, y, weight) as.list(as.double(filter(x, unlist(y), as.vector(weight))))
}

# Python distinguishes 5 from 5.0: whole numbers are counts.
count_or_word <- function(value) {
  if (is.numeric(value) && length(value) == 1L && value == round(value)) as.integer(value) else value
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
