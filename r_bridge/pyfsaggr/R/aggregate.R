#' Aggregate ranked lists
#'
#' Takes what `aggregateRanks()` of the package RobustRankAggreg takes and returns the same form.
#' Stuart's method and the exact p-values are computed by sums of positive terms, so that they are
#' right for any number of lists.
#'
#' @param glist List of character vectors, each a ranking, best first.
#' @param rmat Matrix of normalized ranks (items by lists, 0 to 1, `NA` = not in the list) in place
#'   of `glist`; row names are the items.
#' @param N How many items could have been listed: one number, or one for each list; by default the
#'   number of different items.
#' @param method `"RRA"`, `"min"`, `"geom.mean"`, `"mean"`, `"median"`, `"stuart"`, or a name from
#'   [list_aggregators()].
#' @param full Whether each list is complete in itself: an absent item is then unknown to it, not
#'   worse than all that are listed.
#' @param exact Whether the p-values of RRA are exact rather than Bonferroni-corrected.
#' @param topCutoff Share of the items that each list was cut off at, for RRA.
#' @param ties For `"RRA"` and `"mean"`, what a tied entry of `rmat` counts in the p-value: `"last"`,
#'   the last of the places that its ties share, which keeps the level, or `"average"`, the entry as
#'   it is, as in `aggregateRanks()`: p-values are then too small, without bound if many are tied.
#' @param weights What each list counts, one number of at least 0 for each: 2 means that the list is
#'   written twice. With weights `"RRA"` gives its statistic rho in place of a p-value: a list that
#'   counts twice is not independent of itself.
#' @return A data frame with the columns `Name` and `Score`, best first. For the methods of
#'   RobustRankAggreg the score is that of `aggregateRanks()` (small is good), but for ties; for any
#'   other aggregator large is good.
#'   P-values (of `"RRA"` and `"mean"`) are not adjusted: for lists that are cut off
#'   `p.adjust(Score, "BH", n = N)` does it over all items that could have been listed, of which those
#'   that no list holds count with p = 1; without `n` it would be over the listed items only, which is
#'   too few.
#' @examples
#' if (pyfsagg_available()) {
#'   lists <- list(c("a", "b", "c"), c("b", "a", "d"), c("a", "c"))
#'   aggregate_ranks(lists, N = 20)
#' }
#' @export
aggregate_ranks <- function(glist, rmat = NULL, N = NULL, method = "RRA", full = FALSE,
                            exact = FALSE, topCutoff = NULL, ties = "last",
                            weights = NULL) {
  arguments <- list(
    method = method, full = full, exact = exact, ties = ties,
    universe = if (!is.null(N) && !anyNA(N)) as.list(as.integer(N)),
    weights = if (!is.null(weights)) as.list(as.double(weights)),
    top_cutoff = if (!is.null(topCutoff) && !anyNA(topCutoff)) as.list(as.double(topCutoff))
  )
  if (is.null(rmat)) {
    if (missing(glist) || !is.list(glist) || is.data.frame(glist)) {
      stop_pyfsagg("glist must be a list of character vectors, best first", "input_type")
    }
    lists <- lapply(unname(glist), function(one) as.list(enc2utf8(as.character(one))))
    arguments$lists <- lists
  } else {
    if (!is.matrix(rmat) || !is.numeric(rmat)) {
      stop_pyfsagg("rmat must be a matrix of normalized ranks, items by lists", "input_type")
    }
    items <- rownames(rmat)
    arguments$matrix <- unname(rmat)
    arguments$items <- as.list(if (is.null(items)) as.character(seq_len(nrow(rmat))) else items)
  }
  found <- ask("aggregate", arguments)
  names <- as.character(unlist(found$name))
  data.frame(Name = names, Score = as.vector(found$score), row.names = names)
}
