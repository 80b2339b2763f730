#' Agreement of ranked lists by depth
#'
#' For each ordered pair of lists the rank at which agreement ends by the rule of Hall and Schimek (2012),
#' rank-biased overlap (Webber and others 2010) with its bounds for lists of different lengths, and
#' the share of common items by depth.
#'
#' @param glist List of character vectors, each a ranking, best first, at least two; a data frame
#'   whose columns are such rankings, filled up with `NA`; or a [rank_table()].
#' @param distance An item is confirmed by another list if its ranks differ by at most this number.
#' @param pilot Number of ranks that the rule uses in one step; at least 2.
#' @param persistence The weight of a rank in rank-biased overlap falls by this factor, between 0 and
#'   1, from rank to rank.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return A list: `k`, the largest place of a pair, or `NULL` if the rule finds none; `pairs`, a data
#'   frame with a row for each ordered pair (`list`, `other`, `k`, `rbo` between `rbo_low` and
#'   `rbo_high`); `curve`, a data frame with the mean, lowest and highest share of common items
#'   for each `depth`; and `sentences` ([answers]).
#' @examples
#' if (pyfsagg_available()) {
#'   lists <- list(first = c("a", "b", "c", "d"), second = c("b", "a", "d"))
#'   list_agreement(lists)$pairs
#' }
#' @name list_agreement
NULL

deepest_agreement <- function(found) {
  k <- found$pairs$k
  found["k"] <- list(if (!all(is.na(k))) max(k, na.rm = TRUE))
  found
}

#' Groups of scored members as items
#'
#' All members are ranked together, and ranks are divided by their number; the k-th list has the k-th best
#' member of each group. An aggregator that combines all ranks of an item can then be used for groups.
#' For the guides of CRISPR screens there is [screen_genes()].
#'
#' @param scores One score for each member.
#' @param groups The group of each member.
#' @param higher_is_better Whether large scores are good.
#' @param method As for [aggregate_ranks()].
#' @param exact Whether the p-values of RRA are exact rather than Bonferroni-corrected.
#' @return A data frame with the columns `Name` (the group) and `Score`, best first. Members of equal
#'   score count with the last of their places.
#' @examples
#' if (pyfsagg_available()) {
#'   aggregate_groups(c(3, 1, 2, 0.5), c("a", "b", "a", "b"), method = "stuart")
#' }
#' @export
aggregate_groups <- function(scores, groups, higher_is_better = TRUE, method = "RRA", exact = FALSE) {
  if (!is.numeric(scores)) stop_pyfsagg("scores must be numbers", "input_type")
  same_order(list(scores = scores, groups = groups))
  if (anyNA(groups)) stop_pyfsagg("groups has a missing name", "data")
  found <- ask("aggregate_groups", list(
    scores = as.list(as.double(scores)), groups = as.list(enc2utf8(as.character(groups))),
    higher_is_better = check_flag(higher_is_better, "higher_is_better"),
    method = check_string(method, "method", "one name"), exact = check_flag(exact, "exact")
  ))
  names <- as.character(unlist(found$names))
  data.frame(Name = names, Score = as.vector(found$score), row.names = names)
}

#' Which aggregator for my lists?
#'
#' The best aggregator for the simulated lists most similar to these in number, share of unranked lists, length and
#' agreement. They are generated as in Wang and others (2022); aggregators are judged by the share of the true best
#' 100 among their first 100.
#'
#' @param glist,unranked,N,method As for [aggregate_ranks()].
#' @return A sentence with its evidence; `NULL` for lists of a kind that was not simulated, such as less
#'   than 200 different names, or complete lists.
#' @examples
#' if (pyfsagg_available()) {
#'   names <- paste0("g", 1:2000)
#'   lists <- lapply(1:6, function(i) c(names[1:40], names[50 * i + 1:60]))
#'   which_aggregator(lists)
#' }
#' @export
which_aggregator <- function(glist, unranked = NULL, N = NULL, method = "RRA") {
  table <- lists_as_ranks(glist, unranked)
  ask("advice", list(
    ranks = table$ranks, method = check_string(method, "method", "one name"), universe = read_sizes(N, table)
  ))
}
