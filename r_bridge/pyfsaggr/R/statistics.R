#' Tests that compare methods on the same subjects
#'
#' Accuracies of classifiers, stabilities of aggregators, or anything else that was measured under several
#' conditions (columns) on the same subjects, such as data sets or folds (rows): Nemenyi's test and the critical
#' difference of mean ranks, the Bayesian correlated t tests of Benavoli and others (2017), and counts of wins. Tests
#' that R has itself, such as [stats::friedman.test()], [stats::pairwise.t.test()] and
#' [stats::wilcox.test()], are not here.
#'
#' @param data A data frame or matrix with one row for each subject and one column for each condition; or a
#'   long data frame, with the names of its columns in `subject`, `condition` and `value`.
#' @param subject,condition,value Names of columns of a long data frame.
#' @param higher_is_better Whether large values are good: they have the small ranks.
#' @param confidence_level Level of the intervals.
#' @param missing `"error"` refuses missing values, `"drop"` leaves these subjects out.
#' @param test_train_ratio Rows of a test fold over rows of its training fold, for values of folds that
#'   share training rows, as in the corrected test of Nadeau and Bengio (2003).
#' @param df Degrees of freedom of the corrected tests.
#' @param rope Half of the width of the region in which methods are practically equivalent.
#' @param tolerance Differences up to this count as ties.
#' @return A list of the numbers of the test, with `sentences` and a `table` ([answers]); of
#'   `win_tie_loss()` a data frame.
#' @seealso [rank_confidence()], [compare_methods()], [stats::p.adjust()]
#' @name statistics
#' @examples
#' if (pyfsagg_available()) {
#'   accuracy <- cbind(mrmr = c(81, 92, 74, 88, 79, 90), bam = c(84, 93, 79, 88, 83, 91),
#'                     random = c(70, 85, 71, 80, 69, 83))
#'   as.data.frame(nemenyi(accuracy))
#'   win_tie_loss(accuracy)
#'   critical_difference(accuracy)
#'   bayesian_t_tests(accuracy, rope = 1, test_train_ratio = 1 / 4)
#' }
NULL

#' Confidence sets for ranks
#'
#' Which ranks the true values may have, given estimates with their errors: for one item, and for all items
#' together.
#'
#' @param estimates Numbers with or without names; or a matrix or data frame with a row per data set, task or subject
#'   and a column per item, whose means are the estimates and which holds their errors, too; or a result of [wam()] or
#'   [bam()], whose features are then the items and `confidence_level` is the only other argument.
#' @param covariance Covariance matrix of the estimates.
#' @param standard_errors In its place, for independent estimates.
#' @param df Degrees of freedom of a covariance or of standard errors that were estimated: n - 1 for n replicates of
#'   each estimate, such as data sets or tasks. `NULL` says that they are known.
#' @param confidence_level Level of the sets.
#' @param names Names of the items; those of `estimates` by default.
#' @param higher_is_better Whether large values have the small ranks.
#' @param n_draws How many normal vectors are drawn for the critical values; `NULL` leaves it to the function.
#' @param seed A whole number.
#' @return A list: `table` with the limits of each rank (`lower`, `upper`, and for all items together
#'   `lower_all`, `upper_all`), `sentences`, and the parts ([answers]).
#' @examples
#' if (pyfsagg_available()) {
#'   rank_confidence(c(a = 3, b = 1, c = 0.9), standard_errors = c(0.2, 0.3, 0.3))
#'   # Errors from the table: a row per data set, a column per method.
#'   accuracy <- cbind(a = c(81, 92, 74, 88, 79, 90), b = c(70, 85, 71, 80, 69, 83))
#'   rank_confidence(accuracy)
#' }
#' @export
rank_confidence <- function(estimates, covariance = NULL, standard_errors = NULL, df = NULL,
                            confidence_level = 0.95, names = NULL, higher_is_better = TRUE, n_draws = NULL, seed = 0) {
  if (inherits(estimates, "pyfsagg_ensemble")) {
    return(call_method(estimates, "rank_confidence", list(confidence_level = confidence_level)))
  }
  if (is.null(names)) names <- if (is.matrix(estimates)) colnames(estimates) else base::names(estimates)
  if (is.data.frame(estimates)) estimates <- as.matrix(estimates)
  call_python("rank_confidence")
}
