#' Performance of classifiers with the selected features
#'
#' Classifies with the best 10 percent, 20 percent, ... of the features of each ranking method, with
#' all features and with random subsets, on the same folds.
#'
#' @inheritParams wam
#' @param n_resamples Number of resamples.
#' @param rankings Existing rankings, made on other rows: a named list of results of [wam()]
#'   and [bam()], of names of all features, best first, or of named scores. The performance of a ranking
#'   made on the test rows is overestimated.
#' @param methods How to rank: names of filters, functions as for [wam()], or `"bam"`, optionally followed by `"/"` and
#'   an aggregator (`"mrmr/rra"`). By default the filters of [bam()] for `"auto"`, and `"bam"`.
#' @param classifiers Names: `"logistic_regression"`, `"naive_bayes"`, `"random_forest"`, `"svm"`,
#'   `"knn"`, ...; for a regression `"ridge"`, `"random_forest"`, `"svm"`, `"knn"`;
#'   for survival `"cox_ridge"`, `"cox"`.
#' @param n_features_to_select Shares of the features to select, or numbers of features: whole numbers above 1. Among
#'   whole numbers, as in `c(1, 5, 10)`, and written `1L`, 1 is one feature; alone or among shares it is all features.
#' @param protocol `"thesis"` (rank on two thirds, classify on the rest), `"nested"` (rank inside every
#'   training fold, no leakage), `"leaky"` (rank on all rows, to show the bias), or `"both"`
#'   (thesis and nested).
#' @param metrics `"accuracy"` (the default), `"balanced_accuracy"`, `"roc_auc"`,
#'   `"matthews_correlation"`, `"average_precision"`, `"log_loss"`; for a regression `"r2"` (the
#'   default), `"mean_absolute_error"`, `"root_mean_squared_error"`; for survival `"concordance_index"` (the
#'   default), `"integrated_brier_score"`.
#' @param n_folds Number of folds.
#' @return An object of class `pyfsagg_evaluation`: a list with `cells` (one row for each fold of each
#'   combination), `summary` (means over folds), `weighted` (averages over thresholds, weighted by the
#'   share of features omitted), `comparison` (sentences on which methods differ), `remarks`,
#'   `parameters`, `data` and `versions`.
#' @examples
#' if (pyfsagg_available()) {
#'   evaluate(Species ~ ., data = iris, methods = "information_gain", n_features_to_select = c(0.5, 1),
#'            classifiers = "naive_bayes", n_resamples = 20, seed = 1)
#' }
#' @export
evaluate <- function(x, ...) UseMethod("evaluate", table_or_formula(x, ...))

#' @rdname evaluate
#' @export
evaluate.formula <- function(x, data, subset = NULL, na.action = NULL, ...) {
  called(with_formula(
    evaluate.default, x, data, substitute(subset), na.action, ..., frame = parent.frame()
  ))
}

#' @rdname evaluate
#' @export
evaluate.default <- function(x, y = NULL, methods = NULL, classifiers = NULL, n_features_to_select = NULL,
                             protocol = "nested", metrics = NULL, n_folds = 5,
                             n_resamples = 1000, seed = NULL, cores = 1, progress = interactive(),
                             rankings = NULL, ...) {
  words <- function(value, name) if (!is.null(value)) check_words(value, name)
  called(run_python("evaluate", run_arguments(
    x, y, seed, cores, progress, methods = methods, classifiers = words(classifiers, "classifiers"),
    n_features_to_select = n_features_to_select, protocol = check_words(protocol, "protocol"),
    metrics = words(metrics, "metrics"), n_folds = n_folds,
    n_resamples = check_count(n_resamples, "n_resamples"),
    rankings = if (!is.null(rankings)) own_rankings(rankings, x), ...
  )))
}

# Rankings of the user's: results, vectors of names, or named scores.
own_rankings <- function(rankings, x) {
  features <- columns_of(x)
  if (inherits(rankings, "pyfsagg_ensemble") || !is.list(rankings)) rankings <- list(given = rankings)
  if (is.null(names(rankings)) || !all(nzchar(names(rankings)))) {
    refuse_argument("rankings", "a named list of results, rankings or scores", rankings)
  }
  lapply(rankings, function(each) {
    if (inherits(each, "pyfsagg_answer")) return(python_value(each, "rankings"))
    if (inherits(each, "pyfsagg_ensemble")) each <- each$scores
    if (is.character(each)) each <- stats::setNames(rev(seq_along(each)), each)
    if (is.numeric(each) && is.null(names(each)) && length(each) == length(features)) names(each) <- features
    if (!is.numeric(each) || is.null(names(each)) || !setequal(names(each), features)) {
      refuse_argument("rankings", "names of all features, best first, or a score for each by its name", each)
    }
    as.list(as.double(each[features]))
  })
}

evaluation_result <- function(found) {
  as_result(
    list(
      cells = as_frame(found$cells), summary = as_frame(found$summary),
      weighted = as_frame(found$weighted), comparison = as.character(unlist(found$comparison)),
      remarks = as.character(unlist(found$remarks)), parameters = found$parameters,
      data = found$data, versions = found$versions
    ),
    "evaluation", files = found$files
  )
}

#' @export
print.pyfsagg_evaluation <- function(x, n = nrow(x$weighted), digits = 3, ...) {
  cat("Average over thresholds, weighted by the share of features omitted\n\n")
  shown <- x$weighted[setdiff(names(x$weighted), if (!any(x$weighted$n_missing > 0)) "n_missing")]
  print(utils::head(shown, n), digits = digits, row.names = FALSE, ...)
  for (text in c(x$comparison, x$remarks)) {
    cat("\n", paste(strwrap(text), collapse = "\n"), "\n", sep = "")
  }
  invisible(x)
}

#' @export
summary.pyfsagg_evaluation <- function(object, ...) object$summary

#' Average over thresholds, weighted by the share of features that are omitted
#'
#' @param accuracy One value for each threshold; or a matrix with a column for each threshold.
#' @param n_features_to_select Shares of the features that are kept.
#' @return One number, or one for each row.
#' @examples
#' if (pyfsagg_available()) {
#'   weighted_average_accuracy(c(0.8, 0.9, 0.95), c(0.1, 0.5, 1))
#' }
#' @name weighted_average_accuracy
NULL

#' The same evaluation on several data sets
#'
#' @inheritParams evaluate
#' @param datasets A named list; each element is a list with `x`, the features, and `y`, the target.
#' @param ... Any of the [settings] by their names.
#' @return A list with the cells and a `table` over the data sets ([answers]).
#' @examples
#' if (pyfsagg_available()) {
#'   tables <- list(
#'     all = list(x = iris[1:4], y = iris$Species),
#'     few = list(x = iris[1:3], y = iris$Species)
#'   )
#'   evaluate_many(
#'     tables, methods = "chi_squared", classifiers = "naive_bayes", n_features_to_select = 0.5,
#'     n_resamples = 3, seed = 1
#'   )
#' }
#' @export
evaluate_many <- function(datasets, methods = NULL, classifiers = NULL, n_features_to_select = NULL,
                          protocol = "nested", metrics = NULL, n_folds = 5, n_resamples = 1000, seed = NULL, cores = 1,
                          progress = interactive(), ...) {
  if (!is.list(datasets) || is.null(names(datasets)) || !all(vapply(datasets, is_pair, NA))) {
    refuse_argument("datasets", "a named list of lists with x and y", datasets)
  }
  words <- function(value, name) if (!is.null(value)) check_words(value, name)
  given <- lapply(datasets, function(one) {
    run_arguments(
      one$x, one$y, seed = 0, cores, progress, methods = methods, classifiers = words(classifiers, "classifiers"),
      n_features_to_select = n_features_to_select, protocol = check_words(protocol, "protocol"),
      metrics = words(metrics, "metrics"), n_folds = n_folds, n_resamples = check_count(n_resamples, "n_resamples"), ...
    )
  })
  settings <- given[[1]][setdiff(names(given[[1]]), c("table", "target"))]
  settings$seed <- python_seed(seed)
  datasets <- lapply(given, function(one) one[c("table", "target")])
  run_python("evaluate_many", list(datasets = datasets), settings)
}

is_pair <- function(one) is.list(one) && all(c("x", "y") %in% names(one))
