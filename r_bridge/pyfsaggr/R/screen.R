#' Genes of a CRISPR screen
#'
#' Robust rank aggregation of the guides of each gene (alpha-RRA, the RRA of MAGeCK) with exact p-values:
#' without permutations, small p-values are not limited by their number.
#'
#' @param scores One score for each guide; small ones are the low side (depleted guides), large ones
#'   the high side (enriched guides).
#' @param genes The gene of each guide.
#' @param guides Names of the guides; `guide1`, `guide2`, ... by default.
#' @param log_fold_changes Effects of the guides, `NA` if unknown; by default the scores.
#' @param p_values A list of two vectors, one-sided p-values of the guides for the low and the high
#'   side (a vector if one side is tested). They are used only to choose `alpha`.
#' @param side `"both"`, `"low"` or `"high"`.
#' @param alpha Percentile up to which guides count: one number above 0 and at most 1, or one for each
#'   side. By default the share of guides with p-values of at most 0.25, and 0.05 if that is 0.01 or
#'   less or without p-values.
#' @param null The null distribution: random genes with guides drawn from all `"guides"`, ties included,
#'   or with `"uniform"` percentiles.
#' @param control_guides,control_genes Guides without an effect, and genes with only such guides, which are
#'   then the null distribution: names, or patterns such as `"NonTargeting*"`, in which `*` stands for any text,
#'   `?` for one character and `[...]` for one of several. Below 50 control guides there is a warning.
#' @param ties Guides of equal score share the `"average"` or the `"last"` of their ranks.
#' @param min_guides Genes with fewer guides are not tested.
#' @param missing `"error"` refuses guides without a score, `"drop"` omits them.
#' @param replicates A list of vectors: scores of the guides in further replicates, or pairs of treatment and
#'   control. A guide is then ranked by Stuart's Q of its percentiles in all of them.
#' @param guide_weights Prior trust in each guide, above 0, not derived from this screen; with
#'   `null = "uniform"` only.
#' @param shared_guides `"error"` refuses guides in several genes, `"drop"` omits them, `"each"` counts them
#'   for each of their genes.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return A data frame with a row for each gene, best first on the better of its sides: `gene`,
#'   `guides`, the median effect, and for each side, after its name, `rank`, `rho`, `counted` (guides up
#'   to `alpha`), `p_value`, `log10_p_value`, `fdr` (Benjamini-Hochberg), `q_value` (Storey), the
#'   effect of the second best guide and the mean of those that count. Its attributes are `alpha` and
#'   `remarks`.
#' @examples
#' if (pyfsagg_available()) {
#'   scores <- c(-2.1, -1.8, -1.9, 0.3, -0.2, 0.1)
#'   genes <- c("a", "a", "a", "b", "b", "b")
#'   screen_genes(scores, genes, alpha = 0.5)
#'   screen_genes(scores, genes, alpha = 0.5, replicates = list(c(-1.9, -2.0, -1.1, 0.4, 0.2, -0.3)))
#' }
#' @name screen_genes
NULL

screen_result <- function(found) {
  as_result(
    as_frame(found$table), "screen", alpha = unlist(found$alpha), remarks = as.character(unlist(found$remarks)),
    files = found$files
  )
}
