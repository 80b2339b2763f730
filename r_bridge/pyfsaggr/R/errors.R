#' How many of the selected features may be false?
#'
#' `error_control()` selects features under a limit on false selections, from a run with
#' `resampling = "complementary_pairs"`; nothing is computed again. `permute_target()` runs [wam()] or
#' [bam()] many times with a shuffled target, which assumes only that rows are exchangeable.
#'
#' @param object A result of [wam()] or [bam()] with `resampling = "complementary_pairs"`.
#' @param max_false Accepted expected number of false selections; 1 if `fdr` is not given either.
#' @param fdr Accepted expected share of false selections among the selected, between 0 and 1.
#' @param method For `error_control()`, `"stability_selection"` or `"integrated_path"` for
#'   `max_false`, `"integrated_path"` or `"e_values"` for `fdr`; for `permute_target()`, `"wam"` or
#'   `"bam"`.
#' @param assumption Assumption on noise features: `"unimodal"`, `"r-concave"` or `"none"`.
#' @param q,threshold Number of features that each half selects, and smallest frequency of a selected
#'   feature. By default the threshold is 0.75 and q the largest that keeps the limit.
#' @param x,y,seed,cores,progress As in [wam()].
#' @param n_permutations Number of shuffled targets.
#' @param n_resamples Number of resamples of each run.
#' @param ... Further arguments of [wam()] or [bam()].
#' @return An object of class `pyfsagg_errors`: a list with `table` (one row for each feature, the
#'   safest first), `sentences` (the result, its error bound and the assumptions), and, for
#'   `error_control()`, `selected` (names, possibly none), `q`, `threshold` and `bound`; and `call`.
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, resampling = "complementary_pairs", n_resamples = 20,
#'                 seed = 1)
#'   error_control(result, max_false = 1)
#'   permute_target(iris[1:4], iris$Species, n_permutations = 19, n_resamples = 2, seed = 1)
#' }
#' @export
error_control <- function(object, max_false = NULL, fdr = NULL, method = NULL,
                          assumption = "unimodal", q = NULL, threshold = NULL) {
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
    scores = unname(object$combined),
    features = as.list(colnames(object$combined)),
    resampling = object$parameters$resampling,
    max_false = max_false, fdr = fdr, method = method, assumption = assumption, q = q,
    threshold = threshold
  ))
  called(structure(
    list(
      table = as_frame(found$table),
      selected = as.character(unlist(found$selected)),
      sentences = unlist(found$sentences),
      q = found$q,
      threshold = found$threshold,
      bound = found$bound
    ),
    class = "pyfsagg_errors"
  ))
}

#' @rdname error_control
#' @export
permute_target <- function(x, y, method = "wam", n_permutations = 199, n_resamples = 50,
                           seed = NULL, cores = 1, progress = interactive(), ...) {
  found <- run_python(
    "permute_target",
    list(method = check_choice(method, "method", c("wam", "bam")),
         n_permutations = check_count(n_permutations, "n_permutations")),
    run_arguments(x, y, seed, cores, progress, n_resamples = n_resamples, ...)
  )
  called(structure(found[c("table", "sentences")], class = "pyfsagg_errors"))
}

#' @export
print.pyfsagg_errors <- function(x, ...) {
  writeLines(strwrap(x$sentences))
  invisible(x)
}

#' Parts of the control of false selections
#'
#' What [error_control()] and [permute_target()] are made of: bounds on the expected number of false
#' selections and their inverse, selection frequencies in halves, integrated stability selection, e-values and the
#' step-down procedure of the largest statistic.
#'
#' @param q How many features each half selects.
#' @param p Number of features.
#' @param threshold From which frequency in the halves a feature is selected, above 0.5.
#' @param max_false Accepted expected number of false selections.
#' @param n_pairs Number of pairs of halves.
#' @param assumption What is supposed of noise features: `"unimodal"`, `"r-concave"` or `"none"`.
#' @param scores Matrix of scores with a row for each half; rows 2j - 1 and 2j are a pair.
#' @param form The function that is integrated: `"h1"`, `"h2"` or `"h3"`.
#' @param delta,n_thresholds,cutoff,normalization Settings of the integral, as in the paper.
#' @param fdr Accepted false discovery rate.
#' @param e_values One number for each feature.
#' @param runs Matrix of e-values, one row for each run.
#' @param observed,null Statistics of the features, larger for more important ones, and a matrix of them under the null
#'   hypothesis, one row for each permutation.
#' @return Numbers; `e_bh()` returns a logical vector, `integrated_path()` a list, and `step_down_max_t()` a list
#'   of two vectors, p-values of each feature by itself and family-wise ones.
#' @name error_control_parts
#' @examples
#' if (pyfsagg_available()) {
#'   pfer_bound(q = 5, p = 100, threshold = 0.75)
#'   e_bh(c(50, 0.1, 40), fdr = 0.1)
#' }
NULL

# Rows 2j - 1 and 2j are the halves of a pair.
pairs_of_halves <- function(scores, name) {
  if (!is.matrix(scores) || !is.numeric(scores) || nrow(scores) %% 2L != 0L || nrow(scores) < 2L) {
    refuse_argument(name, "a matrix of numbers with two rows for each pair", scores)
  }
  marked("pairs", unname(scores))
}
