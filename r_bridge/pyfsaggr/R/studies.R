#' Effects that several studies have in common
#'
#' Items, such as genes, with an effect of the same sign in at least `min_studies` studies, from tables of
#' differential expression. Up and down are tested together.
#'
#' The p-value of an item is for the hypothesis "non-null in fewer than `min_studies` studies": the smallest
#' `min_studies - 1` one-sided p-values of a direction are omitted, and Fisher's method tests the rest, so an
#' artefact in so few studies does not suffice. Studies are assumed to be independent.
#'
#' @param tables A named list of data frames or files, one per study; paths of files; or one long data frame or file.
#'   Complete tables, not only significant items. Row names, as in DESeq2, limma and edgeR, name the items of a
#'   table without such a column.
#' @param item,effect,p_value,statistic,standard_error Columns; those of DESeq2, edgeR, limma, sleuth, Seurat and
#'   scanpy are recognised. `effect` gives the sign, `p_value` is two-sided and not adjusted. Likelihood-ratio and F
#'   tests of several coefficients (DESeq2's LRT, limma's `topTableF()`) have no sign, and are refused.
#' @param study The column of the studies in one long table.
#' @param min_studies Smallest number of studies with the effect.
#' @param evidence Evidence of a study for an item: its p-value (`"p_values"`), or its rank among all items of the
#'   study (`"ranks"`), which does not rely on p-values but resolves much less.
#' @param p_adjust Correction across items: `"adafilter"`, which filters out items with evidence in too few studies,
#'   `"adafilter_bounded"`, the larger of this and the p-value, `"bh"`, `"holm"` or `"bonferroni"`.
#' @param duplicates `"error"` refuses an item that is in a study twice, `"first"` keeps its first row.
#' @param strip_version `TRUE` cuts the versions of identifiers of Ensembl and RefSeq (`ENSG00000141510.18`).
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return A list: `table` with a row per item, best first (`direction`, `p_value`, `adjusted_p_value`, `at_least`,
#'   `carried_by` and `against`, `rests_on` and `adjusted_p_without` this study, `median_effect`, `i_squared`),
#'   `sentences`, and the parts ([answers]).
#' @seealso [aggregate_lists()] for lists without signs
#' @name studies
#' @examples
#' if (pyfsagg_available()) {
#'   set.seed(1)
#'   one <- function(shift) {
#'     z <- rnorm(200) + c(shift, rep(0, 199))
#'     data.frame(logFC = z, PValue = 2 * pnorm(-abs(z)), row.names = paste0("g", 1:200))
#'   }
#'   studies(list(a = one(6), b = one(6), c = one(0)))
#' }
NULL

study_tables <- function(value, name) {
  if (is.character(value)) return(as.list(path.expand(value)))
  if (is.data.frame(value)) return(table_of_numbers(value, name))
  if (!is.list(value) || is.null(names(value))) refuse_argument(name, "a named list of data frames", value)
  lapply(value, function(table) {
    if (is.character(table)) return(path.expand(table))
    table <- as.data.frame(table)
    if (.row_names_info(table) > 0) table$row <- rownames(table)
    table_of_numbers(table, name)
  })
}

#' Which aggregator suits complete lists
#'
#' Splits the lists into two halves many times, aggregates each half by each rule, and compares the two results. A
#' jackknife over the lists shows how much the answer depends on them, and which rules differ from the first.
#'
#' An aggregator that agrees more with itself need not be nearer to the truth.
#'
#' @param x A `rank_table()`, or a list of rankings as for [aggregate_lists()], with at least six lists.
#' @param aggregators Names from `list_methods("aggregators")`; the others are compared with the first. By default
#'   robust rank aggregation, mean, median and geometric mean rank, and Stuart.
#' @param measure Of `list_methods("stability")`.
#' @param n_splits Number of splits.
#' @param seed A whole number.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return A list: `table` with a row per aggregator (`value` between `lower` and `upper`, `difference` to the first
#'   one, `told_apart`), `sentences`, and the parts ([answers]).
#' @seealso [aggregator_influence()] asks the same of the resamples of a table
#' @name influence_of_lists
#' @examples
#' if (pyfsagg_available()) {
#'   set.seed(1)
#'   scores <- matrix(rnorm(80) + rep(1:10 / 2, 8), 10, dimnames = list(letters[1:10], NULL))
#'   lists <- rank_table(scores, "scores")
#'   influence_of_lists(lists, c("mean_rank", "minimum_rank"), n_splits = 5, seed = 1)
#' }
NULL

square_of <- function(found) {
  cells <- as.matrix(found[-1])
  dimnames(cells) <- list(found[[1]], names(found)[-1])
  cells
}
