#' Places of methods in a table of scores, and which differences are real
#'
#' For methods in columns and data sets in rows: the set of places that each method may have, which may be first, which
#' pairs differ significantly, and the influence of missing scores and single data sets.
#'
#' Two questions are distinguished: whether the places would be the same on other data sets like these (the data sets
#' are the sample, and fewer than 8 are refused), and on these data sets with other instances, folds or seeds (the
#' replicates of each cell are the sample).
#'
#' @param data A matrix or data frame with a row per data set and a column per method, and perhaps a column of words
#'   with the names of the data sets; or a long one, with columns named by `method`, `value` and `dataset`. Or a result
#'   of [evaluate()] or [aggregator_influence()], or a named list of such results, one per data set; or a
#'   named list of tables, one per metric.
#' @param method,value Columns of a long table.
#' @param dataset The column of the data sets. Rows of a wide table with the same name are its replicates.
#' @param replicate The column of a long table that matches scores across methods, such as the fold.
#' @param metric The column with the metric of each row; sets and pairs hold simultaneously for all metrics.
#' @param higher_is_better Whether large scores are good; for several metrics a named list.
#' @param by `"mean"` or `"rank"`: places by mean scores or by average ranks within data sets.
#' @param test Test of the pairs, corrected by Holm: `"t"`, `"wilcoxon"`, `"signs"` (all signs of the differences, for
#'   up to 16 data sets), or `"auto"`, which is t for means and Wilcoxon's signed ranks for average ranks.
#' @param test_train_ratio Test rows divided by training rows if replicates are folds of the same rows, such as 1/9; 0
#'   if they are independent.
#' @param rope Largest difference of no practical importance: pairs get probabilities that methods are equivalent.
#' @param confidence_level Level of sets and intervals.
#' @param seed A whole number.
#' @param save,report A folder for the result, and a file for its page.
#' @return A list: `table` with a row per method (`place`, `lower` and `upper` for one method, `lower_all` and
#'   `upper_all` for all together, `mean`, `average_rank`), `sentences`, and the parts ([answers]).
#' @seealso [rank_confidence()] for estimates with known errors, [critical_difference()], [nemenyi()]
#' @name standings
#' @examples
#' if (pyfsagg_available()) {
#'   set.seed(1)
#'   accuracy <- matrix(rnorm(36, 80), 12, dimnames = list(NULL, c("mrmr", "bam", "random")))
#'   accuracy[, "random"] <- accuracy[, "random"] - 5
#'   standings(accuracy)
#' }
NULL
