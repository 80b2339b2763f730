#' Tests that compare methods on the same subjects
#'
#' Accuracies of classifiers, stabilities of aggregators, or anything else that was measured under several
#' conditions (columns) on the same subjects, such as data sets or folds (rows). Interval by interval and
#' p-value by p-value these are the tests that comparisons of methods report.
#'
#' @param data A data frame or matrix with one row for each subject and one column for each condition; or a
#'   long data frame, with the names of its columns in `subject`, `condition` and `value`. For
#'   `one_way_anova()` a named list of groups as well.
#' @param subject,condition,value,group Names of columns of a long data frame.
#' @param higher_is_better Whether large values are good: they have the small ranks.
#' @param confidence Level of the intervals.
#' @param alpha Level of the test.
#' @param incomplete `"error"` refuses missing values, `"drop"` leaves these subjects out.
#' @param correction For `rm_anova()`, `"greenhouse_geisser"`, `"huynh_feldt"` or `"none"`, for a lack of
#'   sphericity; for `wilcoxon()`, whether the normal approximation is corrected for continuity.
#' @param mauchly `"textbook"`, or `"r"` for the statistic of [stats::mauchly.test()].
#' @param welch Whether the groups may differ in their variances.
#' @param paired Whether conditions are compared on the same subjects.
#' @param pooled For groups that are not paired, whether all share one standard deviation.
#' @param adjust How p-values are corrected for their number, as in [stats::p.adjust()].
#' @param test `"t"`, `"wilcoxon"`, or `"corrected_t"` for values of folds that share rows.
#' @param decimals How many decimals of the values count, for values that are rounded.
#' @param test_train_ratio Rows of a test fold over rows of its training fold, for values of folds that
#'   share training rows, in the corrected test of Nadeau and Bengio (2003).
#' @param df Degrees of freedom of the corrected tests.
#' @param rope Half of the width of the region in which methods are practically equivalent.
#' @param tolerance Differences up to this count as ties.
#' @param x,y Two vectors of the same length, or differences alone; for `rank_biserial_unpaired()` two samples.
#' @param alternative `"two-sided"`, `"greater"` or `"less"`.
#' @param exact Whether the p-value is exact: `TRUE`, `FALSE`, or `"auto"`.
#' @param zero_method `"wilcox"` leaves zero differences out, `"pratt"` ranks them as well.
#' @param values Matrix of subjects by conditions.
#' @param differences Differences of pairs.
#' @param f,df_effect,df_error,t A statistic with its degrees of freedom.
#' @return A list of the numbers of the test, with `sentences` and a `table` ([answers]); of
#'   `win_tie_loss()` a data frame, of the two interval functions a vector of two limits.
#' @seealso [rank_confidence()], [stats::p.adjust()]
#' @name statistics
#' @examples
#' if (pyfsagg_available()) {
#'   accuracy <- cbind(mrmr = c(81, 92, 74, 88, 79, 90), bam = c(84, 93, 79, 88, 83, 91),
#'                     random = c(70, 85, 71, 80, 69, 83))
#'   friedman(accuracy)
#'   as.data.frame(nemenyi(accuracy))
#'   pairwise_tests(accuracy, test = "wilcoxon")
#' }
NULL

#' @rdname statistics
#' @export
friedman <- function(data, subject = NULL, condition = NULL, value = NULL, higher_is_better = TRUE,
                     confidence = 0.95, incomplete = "error") {
  call_python("friedman", data = "data")
}

#' @rdname statistics
#' @export
nemenyi <- function(data, subject = NULL, condition = NULL, value = NULL, higher_is_better = TRUE, alpha = 0.05,
                    incomplete = "error") {
  call_python("nemenyi", data = "data")
}

#' @rdname statistics
#' @export
critical_difference <- function(data, alpha = 0.05, subject = NULL, condition = NULL, value = NULL,
                                higher_is_better = TRUE, incomplete = "error") {
  call_python("critical_difference", data = "data")
}

#' @rdname statistics
#' @export
rm_anova <- function(data, subject = NULL, condition = NULL, value = NULL, correction = "greenhouse_geisser",
                     mauchly = "textbook", confidence = 0.95, incomplete = "error") {
  call_python("rm_anova", data = "data")
}

#' @rdname statistics
#' @export
one_way_anova <- function(data, group = NULL, value = NULL, welch = FALSE, confidence = 0.95,
                          incomplete = "error") {
  call_python("one_way_anova", data = "data")
}

#' @rdname statistics
#' @export
pairwise_tests <- function(data, condition = NULL, value = NULL, subject = NULL, paired = TRUE, pooled = TRUE,
                           adjust = "holm", test = "t", confidence = 0.95, decimals = NULL,
                           test_train_ratio = NULL, df = NULL, incomplete = "error") {
  call_python("pairwise_tests", data = "data")
}

#' @rdname statistics
#' @export
bayesian_t_tests <- function(data, rope, test_train_ratio, df = NULL, condition = NULL, value = NULL,
                             subject = NULL, confidence = 0.95, incomplete = "error") {
  call_python("bayesian_t_tests", data = "data")
}

#' @rdname statistics
#' @export
win_tie_loss <- function(data, subject = NULL, condition = NULL, value = NULL, higher_is_better = TRUE,
                         tolerance = 0, incomplete = "error") {
  call_python("win_tie_loss", data = "data")
}

#' @rdname statistics
#' @export
wilcoxon <- function(x, y = NULL, alternative = "two-sided", exact = "auto", correction = TRUE,
                     zero_method = "wilcox", confidence = 0.95, decimals = NULL, incomplete = "error") {
  call_python("wilcoxon")
}

#' @rdname statistics
#' @export
sphericity_test <- function(values, mauchly = "textbook") call_python("sphericity_test")

#' @rdname statistics
#' @export
rank_biserial_paired <- function(differences, confidence = 0.95) call_python("rank_biserial_paired")

#' @rdname statistics
#' @export
rank_biserial_unpaired <- function(x, y, confidence = 0.95) call_python("rank_biserial_unpaired")

#' @rdname statistics
#' @export
noncentral_f_interval <- function(f, df_effect, df_error, confidence = 0.95) call_python("noncentral_f_interval")

#' @rdname statistics
#' @export
noncentral_t_interval <- function(t, df, confidence = 0.95) call_python("noncentral_t_interval")

#' Confidence sets for ranks
#'
#' Which ranks the true values may have, given estimates with their errors: for one item, and for all items
#' together.
#'
#' @param estimates Numbers with or without names; or a result of [wam()] or [bam()],
#'   whose features are then the items and `confidence` is the only other argument.
#' @param covariance Covariance matrix of the estimates.
#' @param standard_errors In its place, for independent estimates.
#' @param df Degrees of freedom of a covariance or of standard errors that were estimated: n - 1 for n replicates of
#'   each estimate, such as data sets or tasks. `NULL` says that they are known.
#' @param confidence Level of the sets.
#' @param names Names of the items; those of `estimates` by default.
#' @param higher_is_better Whether large values have the small ranks.
#' @param n_draws How many normal vectors are drawn for the critical values; `NULL` leaves it to the function.
#' @param seed A whole number.
#' @return A list: `table` with the limits of each rank (`lower`, `upper`, and for all items together
#'   `lower_all`, `upper_all`), `sentences`, and the parts ([answers]).
#' @examples
#' if (pyfsagg_available()) {
#'   rank_confidence(c(a = 3, b = 1, c = 0.9), standard_errors = c(0.2, 0.3, 0.3))
#' }
#' @export
rank_confidence <- function(estimates, covariance = NULL, standard_errors = NULL, df = NULL,
                            confidence = 0.95, names = NULL, higher_is_better = TRUE, n_draws = NULL, seed = 0) {
  if (inherits(estimates, "pyfsagg_ensemble")) {
    return(call_method(estimates, "rank_confidence", list(confidence = confidence)))
  }
  if (is.null(names)) names <- base::names(estimates)
  call_python("rank_confidence")
}
