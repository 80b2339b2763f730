#' Rank features by an ensemble of filters over resamples
#'
#' `wam()` scores the features by one filter in every resample and aggregates the scores (within
#' aggregation); `bam()` combines several filters (between aggregation). `within_aggregation()` and
#' `between_aggregation()` are the same functions under unique names: if the package mgcv is attached
#' first, `bam()` is the function of mgcv.
#'
#' The resamples depend on the seed and on the table: its values, the names of its columns and the order
#' of levels. [draw_resamples()] draws rows that can be used by runs on different columns.
#'
#' @param x A data frame or matrix of features, also a sparse one of the package Matrix for the filters
#'   that `list_methods("filters")` marks, or a formula such as `Class ~ .`, `Class ~ log(a) + b:c` or `~ .`
#'   without a target, in which a number by a factor is a column for each level. Factors and text are
#'   nominal, `NA` is missing; integers, logicals and numbers keep their meaning, and an ordered factor
#'   is read as the numbers of its levels.
#' @param y Class labels: a factor, text, logicals or up to ten different whole numbers; numbers with
#'   `task = "regression"`; right-censored times as `Surv(time, status)` of the package survival; no `NA`.
#'   `NULL` for filters that need no target, such as `"frcm"`.
#' @param data A data frame, for the formula. Its left side is one column, or `Surv(time, status)`; terms of models,
#'   such as `strata()`, `cluster()`, `offset()` and `(1 | g)`, are refused, with what to write instead. Values that
#'   the package haven declares to be missing are missing.
#' @param subset For the formula, a condition on the rows of `data`, or row numbers.
#' @param na.action For the formula, the treatment of rows with missing values: by default they are kept, or what
#'   `options(na.action = )` says if it is not R's own `na.omit`. `na.omit` and `na.exclude` omit them, `na.fail` stops;
#'   any other function, or its name, is called with the variables of the formula, as by [stats::model.frame()], to
#'   fill values in or leave rows out.
#' @param filter,filters Names from `list_methods("filters")`, or functions of a matrix `x`, labels `y` and
#'   `weight` (how often each row is in the resample) that give one score for each feature, larger
#'   for more important ones, matched by column names if it has names; `filters` is then a list,
#'   `list("mrmr", mine = f)`. An R function always runs on one core. `filters = "auto"`: information
#'   gain, symmetrical uncertainty, mRMR and chi-squared; for a numeric target and for survival times, if no
#'   column is a factor with more than two levels, Spearman's correlation and information gain.
#' @param aggregator A name from `list_methods("aggregators")`.
#' @param n_resamples Number of resamples, or `"auto"`: until a repetition would select nearly the
#'   same features.
#' @param resampling A name from `list_methods("resampling")`.
#' @param seed A whole number that makes the run repeatable. By default it is drawn by R, so
#'   `set.seed()` decides.
#' @param cores Number of threads; the result does not depend on it.
#' @param progress Show a progress bar.
#' @param ... Arguments of the default method, and any of the [settings] by their names: `groups`,
#'   `task`, `nominal`, `filter_params`, `checkpoint`, ...; also `save`, a folder into which the result
#'   is written for [load_result()] and Python, and `report`, the file of its report (HTML).
#' @return An object of class `pyfsagg_ensemble`: a list with `ranking` (data frame, best first:
#'   rank, score, status, 95 % interval of the ranks over resamples, selection frequency for the proposed
#'   number of features with its interval, mean score per filter), `scores` and `ranks` (named vectors),
#'   `score_matrices` (resamples by features, one matrix for each filter), `combined` (the aggregated
#'   scores), `about_copies` (a sentence if near copies of a feature split the vote), `groups` (the columns
#'   of each group, with `feature_groups`) and `about_groups` (a sentence if their sizes matter),
#'   `parameters`, `data` and `versions`; `between_samples`, a data frame with the agreement of two
#'   samples of half the size (sets of the best `top`, ranks and scores, with intervals for the population; `shuffled`
#'   is the agreement with shuffled targets), or `NULL`
#'   with `pairs = 0` or few resamples; `selection`, a list with the proposed `features` ([selected()]), the
#'   `reason` for their number, `sentences`, and `methods_text`, a paragraph for the methods section of a
#'   paper; and `call`, so [update()] can run it again with other arguments. It contains no Python objects,
#'   so `saveRDS()` works.
#' @seealso [list_methods()] for the available methods; [selected()], [stability()], [evaluate()]
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 50, seed = 1)
#'   result
#'   selected(result, 2)
#'   bam(iris[1:4], iris$Species, n_resamples = 20, seed = 1)
#'   within_aggregation(iris[1:4], iris$Species, n_resamples = 20, seed = 1)$scores
#'   between_aggregation(iris[1:4], iris$Species, n_resamples = 20, seed = 1)$scores
#' }
#' @export
wam <- function(x, ...) UseMethod("wam", table_or_formula(x, ...))

#' @rdname wam
#' @export
wam.formula <- function(x, data, subset = NULL, na.action = NULL, ...) {
  called(with_formula(wam.default, x, data, substitute(subset), na.action, ..., frame = parent.frame()))
}

#' @rdname wam
#' @export
wam.default <- function(x, y = NULL, filter = "information_gain", aggregator = "arithmetic_mean",
                        n_resamples = 1000, resampling = "bootstrap", seed = NULL, cores = 1,
                        progress = interactive(), ...) {
  called(run_python("wam", run_arguments(
    x, y, seed, cores, progress, filter = filter, aggregator = aggregator,
    n_resamples = n_resamples, resampling = resampling, ...
  )))
}

#' @rdname wam
#' @export
within_aggregation <- function(x, ...) UseMethod("wam", table_or_formula(x, ...))

#' @rdname wam
#' @export
bam <- function(x, ...) UseMethod("bam", table_or_formula(x, ...))

#' @rdname wam
#' @export
between_aggregation <- function(x, ...) UseMethod("bam", table_or_formula(x, ...))

#' @rdname wam
#' @export
bam.formula <- function(x, data, subset = NULL, na.action = NULL, ...) {
  called(with_formula(bam.default, x, data, substitute(subset), na.action, ..., frame = parent.frame()))
}

#' @rdname wam
#' @export
bam.default <- function(x, y = NULL, filters = "auto", aggregator = "arithmetic_mean", n_resamples = 1000,
                        resampling = "bootstrap", seed = NULL, cores = 1, progress = interactive(), ...) {
  called(run_python("bam", run_arguments(
    x, y, seed, cores, progress, filters = filters, aggregator = aggregator,
    n_resamples = n_resamples, resampling = resampling, ...
  )))
}

# A result with the call of the function that returns it, which update() repeats; a data frame has it as an attribute.
called <- function(result, call = sys.call(-1), definition = sys.function(-1), envir = parent.frame(2)) {
  call <- match.call(definition, call, envir = envir)
  if (is.name(call[[1]])) call[[1]] <- as.name(sub("[.](formula|default|matrix|data[.]frame)$", "", call[[1]]))
  if (is.data.frame(result)) attr(result, "call") <- call else result$call <- call
  result
}

# mgcv comes with R and has a function bam() of its own: attached first, it keeps the name.
.onAttach <- function(libname, pkgname) {
  if ("package:mgcv" %in% search()) {
    rm("bam", envir = as.environment("package:pyfsaggr"))
    packageStartupMessage("bam() is that of mgcv; that of pyfsaggr is between_aggregation()")
  }
}

ensemble_result <- function(found) {
  features <- unlist(found$features)
  named <- function(matrix) {
    dimnames(matrix) <- list(NULL, features)
    matrix
  }
  as_result(
    list(
      method = found$method,
      ranking = as_frame(found$ranking),
      scores = stats::setNames(as.vector(found$scores), features),
      ranks = stats::setNames(as.vector(found$ranks), features),
      score_matrices = lapply(found$score_matrices, named),
      combined = named(found$combined),
      about_copies = found$about_copies,
      groups = columns_by_group(found$data),
      about_groups = found$about_groups,
      parameters = found$parameters,
      data = found$data,
      versions = found$versions,
      halves = found$halves,
      record = found$record,
      between_samples = if (!is.null(found$between_samples)) as_frame(found$between_samples),
      selection = lapply(found$selection, function(part) as.character(unlist(part)))
    ),
    "ensemble"
  )
}

columns_by_group <- function(data) {
  lapply(as.list(data$groups), function(columns) as.character(unlist(columns)))
}

#' Read a result that was written into a folder
#'
#' Results are written by `save` in [wam()], [bam()], [evaluate()], [committee()] and
#' [aggregator_influence()], by the command `pyfsagg`, and by Python.
#'
#' @param path The folder, or the file of a result that is a single file.
#' @param report Optional: a file for the report of the result (HTML).
#' @return The result, of the same class as that of the function that computed it.
#' @examples
#' if (pyfsagg_available()) {
#'   folder <- tempfile()
#'   wam(iris[1:4], iris$Species, n_resamples = 10, seed = 1, save = folder)
#'   load_result(folder)
#' }
#' @export
load_result <- function(path, report = NULL) {
  as_r(ask("load", list(
    path = path.expand(check_string(path, "path")),
    report = if (!is.null(report)) path.expand(check_string(report, "report"))
  )))
}

#' The best features of a ranking
#'
#' A proposal has all features that score above noise: their family-wise p-value from shuffled targets
#' ([permute_target()]) is at most 0.05. If the target is unrelated to all features, at most one run in twenty proposes
#' any. `"knee"` selects those before the knee of the scores. `object$selection$reason` has the reason, and the column
#' `status` of `object$ranking` is `"firm"` (selected, and in at least 80 % of the resamples), `"borderline"` (in fewer;
#' or not selected, but in more than 20 %), `"indistinct"` (not distinguishable from noise) or `"out"`.
#'
#' @param object A result of [wam()] or [bam()], of [committee()] or [vote_features()], or of
#'   [eliminate_features()].
#' @param n `"auto"`, a proposal, or `"knee"`; a number of features (a whole number of at least 1), or a share of them
#'   (below 1).
#' @param columns With `feature_groups`: the columns of the selected groups instead of the names of the groups.
#' @param ... Not used.
#' @return Names of features, best first; a proposal may be empty.
#' @examples
#' if (pyfsagg_available()) {
#'   selected(wam(Species ~ ., data = iris, n_resamples = 20, seed = 1), 0.5)
#' }
#' @export
selected <- function(object, n = "auto", ...) UseMethod("selected")

#' @rdname selected
#' @export
selected.pyfsagg_ensemble <- function(object, n = "auto", columns = FALSE, ...) {
  if (identical(n, "auto") && is.null(object$selection)) {
    stop_pyfsagg("this result was made by an older version of pyfsaggr: run it again, or give n", "data")
  }
  best <- if (identical(n, "auto")) {
    object$selection$features
  } else if (identical(n, "knee")) {
    as.character(unlist(call_method(object, "select", list(n_features_to_select = n))))
  } else {
    best_of(object$ranking$feature, n, "\"auto\", \"knee\", ")
  }
  features_or_columns(best, object, columns)
}

features_or_columns <- function(features, object, columns) {
  if (!check_flag(columns, "columns")) return(features)
  as.character(unlist(lapply(features, function(name) {
    if (name %in% names(object$groups)) object$groups[[name]] else name
  })))
}

#' The methods of each kind
#'
#' @param kind `"filters"`, `"aggregators"`, `"stability"`, `"resampling"`, `"classifiers"`, `"regressors"`,
#'   `"survival_models"`, `"metrics"`, `"eliminations"`, `"unsupervised"`, `"voting_rules"` or `"datasets"`.
#' @return A data frame with one row for each method of that kind; without `kind`, the kinds.
#' @examples
#' if (pyfsagg_available()) {
#'   list_methods("filters")[, c("name", "summary")]
#' }
#' @name list_methods
NULL

#' Rank the features of a table that is larger than memory
#'
#' The table is read in pieces, twice, and three times for `"equal_frequency"`. The resamples are those of
#' `resampling = "poisson_bootstrap"`, and numbers are binned once for the whole table.
#'
#' @inheritParams wam
#' @param source A folder of Parquet files, or one of them.
#' @param target The column with the classes.
#' @param filters Names from `list_methods("filters")`.
#' @param binning How numbers are binned: `"equal_width"` or `"equal_frequency"`.
#' @param bins Number of bins.
#' @param normalize How scores of several filters are scaled to 0..1: `"per_resample"` or `"per_feature"`.
#' @param aggregator_params A named list of options of the aggregator.
#' @param nominal Names of columns that are nominal, whatever their type.
#' @param exclude Columns to drop.
#' @param ... `checkpoint` and `memory_limit` ([settings]); `save` and `report` as in [wam()].
#' @return An object of class `pyfsagg_ensemble`, as of [wam()].
#' @examples
#' \dontrun{
#' rank_out_of_core("folder_of_parquet_files", target = "class", n_resamples = 100, seed = 1)
#' }
#' @export
rank_out_of_core <- function(source, target, filters = c("information_gain", "symmetric_uncertainty", "chi_squared"),
                             binning = "equal_width", bins = 10, normalize = "per_resample",
                             aggregator = "arithmetic_mean", aggregator_params = NULL, n_resamples = 200,
                             nominal = NULL, exclude = character(), seed = NULL, cores = 1,
                             progress = interactive(), ...) {
  more <- list(...)
  given <- c(list(
    filters = check_words(filters, "filters"), binning = check_string(binning, "binning"),
    bins = check_count(bins, "bins"), normalize = check_string(normalize, "normalize"),
    aggregator = check_string(aggregator, "aggregator"), n_resamples = check_count(n_resamples, "n_resamples"),
    nominal = if (!is.null(nominal)) check_words(nominal, "nominal"), exclude = as.list(exclude),
    seed = python_seed(seed, more$checkpoint), cores = check_count(cores, "cores"),
    progress = progress_function(check_flag(progress, "progress"))
  ), Map(function(value, name) read_argument(value, name, NULL, more), more, names(more)))
  if (!is.null(aggregator_params)) given$aggregator_params <- named_list(aggregator_params, "aggregator_params")
  called(run_python(
    "rank_out_of_core", source = path.expand(check_string(source, "source")), target = check_string(target, "target"),
    given
  ))
}
