#' How many of the selected features may be false?
#'
#' `error_control()` selects features of a run under a limit on false selections, without new computations. By default
#' it uses the p-values of the run from shuffled targets. A run with `resampling = "complementary_pairs"` limits
#' `max_false` by stability selection, from its pairs of halves. `permute_target()` computes the p-values alone.
#'
#' Shuffled targets are scored by the filters of the run in the whole table. The p-value of a feature is the share of
#' scores at least as high among the features of its kind (numbers, of like shape where a filter cuts them into bins of
#' equal width; or as many levels) with shuffled targets; beyond its tail this distribution is taken as exponential.
#' Filters that select one column after the other, such as mRMR, are judged by their relevance: what a column
#' alone tells of the target. Targets are exchanged between whole groups of rows.
#'
#' @param object A result of [wam()] or [bam()].
#' @param max_false Accepted expected number of false selections; 1 if `fdr` is not given either.
#' @param fdr Accepted expected share of false selections among the selected, between 0 and 1.
#' @param method `"benjamini_hochberg"` (for `fdr`; independent or positively dependent p-values),
#'   `"benjamini_yekutieli"` (any dependence), `"expected_number"` (for `max_false`); or of pairs of halves,
#'   `"stability_selection"` (for `max_false`) and `"integrated_path"`.
#' @param assumption Assumption on noise features, for pairs: `"unimodal"` (default), `"r-concave"` or `"none"`.
#' @param q,threshold For pairs: number of features that each half selects, and smallest frequency of a selected
#'   feature. By default the threshold is 0.75 and q the largest number within the limit.
#' @param x,y,seed,cores,progress As in [wam()].
#' @param shuffles Number of shuffled targets; `"auto"`: 999 for small tables, 199 for large ones.
#' @param ... Further arguments of [bam()], or, with `filter`, of [wam()].
#' @return An object of class `pyfsagg_errors`: a list with `table` (one row for each feature, the
#'   safest first), `sentences` (the result, its error bound and the assumptions), and, for
#'   `error_control()`, `selected` (names, possibly none), the `level` that is kept, and for pairs `q`, `threshold`
#'   and `bound`; and `call`.
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 20, seed = 1)
#'   error_control(result, fdr = 0.05)
#'   permute_target(iris[1:4], iris$Species, filter = "information_gain", shuffles = 19, seed = 1)
#' }
#' @export
error_control <- function(object, max_false = NULL, fdr = NULL, method = NULL,
                          assumption = NULL, q = NULL, threshold = NULL) {
  if (!inherits(object, "pyfsagg_ensemble")) {
    stop_pyfsagg("object must be a result of wam() or bam()", "input_type")
  }
  if (!is.null(max_false) && (!is_number(max_false) || max_false <= 0)) {
    refuse_argument("max_false", "a number above 0", max_false)
  }
  if (!is.null(fdr)) check_between(fdr, "fdr", 0, 1)
  if (!is.null(q)) q <- check_count(q, "q")
  if (!is.null(threshold)) check_between(threshold, "threshold", 0, 1 + 1e-12)
  found <- ask("error_control", list(
    object = ensemble_given(object), max_false = max_false, fdr = fdr, method = method, assumption = assumption,
    q = q, threshold = threshold
  ))
  called(as_result(
    list(
      table = as_frame(found$table),
      selected = as.character(unlist(found$selected)),
      sentences = unlist(found$sentences),
      level = found$level,
      q = found$q,
      threshold = found$threshold,
      bound = found$bound
    ),
    "errors"
  ))
}

#' @rdname error_control
#' @export
permute_target <- function(x, y, shuffles = "auto", seed = NULL, cores = 1, progress = interactive(), ...) {
  found <- run_python(
    "permute_target",
    list(shuffles = if (identical(shuffles, "auto")) shuffles else check_count(shuffles, "shuffles")),
    run_arguments(x, y, seed, cores, progress, ...)
  )
  called(as_result(found[c("table", "sentences")], "errors"))
}

#' @export
print.pyfsagg_errors <- function(x, ...) {
  writeLines(strwrap(x$sentences))
  invisible(x)
}

#' Parts of the control of false selections
#'
#' The components of [error_control()] and [permute_target()]: bounds on the expected number of false
#' selections, and integrated stability selection. `calibrate_selection()` gives the stability score of the
#' package sharp for each number of features and threshold, with the bounds of that cell: a diagnostic, which
#' does not limit false selections.
#'
#' @param q Number of features that each half selects.
#' @param p Number of features.
#' @param sizes,thresholds Numbers of features and thresholds of `calibrate_selection()`; by default up to 40
#'   numbers, and 0.6, 0.61, ... 0.9.
#' @param feature_names Names of the columns of `scores`.
#' @param threshold Smallest frequency in the halves of a selected feature, above 0.5.
#' @param n_pairs Number of pairs of halves.
#' @param assumption Assumption on noise features: `"unimodal"`, `"r-concave"` or `"none"`.
#' @param scores Matrix of scores with a row for each half; rows 2j - 1 and 2j are a pair.
#' @param form The function that is integrated: `"h1"`, `"h2"` or `"h3"`.
#' @param delta,n_thresholds,cutoff,normalization Settings of the integral, as in the paper.
#' @return A number; `integrated_path()` and `calibrate_selection()` return lists ([answers]).
#' @name error_control_parts
#' @examples
#' if (pyfsagg_available()) {
#'   pfer_bound(q = 5, p = 100, threshold = 0.75)
#'   calibrate_selection(matrix(sin(1:400), 20))
#'   halves <- matrix(sin(1:80), 8, dimnames = list(NULL, letters[1:10])) # two rows for each pair
#'   integrated_path(halves)$q_values
#' }
NULL

# Rows 2j - 1 and 2j are the halves of a pair.
pairs_of_halves <- function(scores, name) {
  if (!is.matrix(scores) || !is.numeric(scores) || nrow(scores) %% 2L != 0L || nrow(scores) < 2L) {
    refuse_argument(name, "a matrix of numbers with two rows for each pair", scores)
  }
  marked("pairs", unname(scores))
}
