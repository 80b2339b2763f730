#' Aggregate ranked lists
#'
#' `aggregate_ranks()` has the input and output of `aggregateRanks()` of the package RobustRankAggreg;
#' `aggregateRanks()` has the arguments and p-values of that function, so code
#' written for it runs unchanged, also with repeated names, empty lists and data frames as `rmat`, which
#' `aggregate_ranks()` refuses. Stuart's method and the exact p-values are sums of
#' positive terms, and therefore exact for any number of lists.
#'
#' @param glist List of character vectors, each a ranking, best first; or a data frame whose columns are
#'   such rankings, filled up with `NA`; or a [rank_table()]. Missing and empty names are ignored.
#' @param rmat Matrix of normalized ranks (items by lists, 0 to 1, `NA` = not in the list), instead
#'   of `glist`; row names are the items.
#' @param N How many items could have been listed: one number, or one for each list; by default the
#'   number of different items.
#' @param method `"RRA"`, `"min"`, `"geom.mean"`, `"mean"`, `"median"`, `"stuart"` (small scores are
#'   good), or a name from `list_methods("aggregators")` (large scores are good). Names are case-sensitive:
#'   `"rra"` gives the score of the aggregator, `"RRA"` the p-value.
#' @param full Whether each list is complete: an absent item is then unknown, instead of worse than all
#'   listed items.
#' @param exact Whether the p-values of RRA are exact rather than Bonferroni-corrected.
#' @param topCutoff Share of the items at which each list was truncated, for RRA: one, or one for each list.
#' @param ties For `"RRA"` and `"mean"`, the rank of a tied entry of `rmat` in the p-value: `"last"`,
#'   the last rank of the tie, which keeps the level, or `"average"`, the entry as
#'   it is, as in `aggregateRanks()`: p-values are then too small, without bound if many are tied.
#' @param weights Weight of each list, at least 0: with a weight of 2 a list counts as two copies. With
#'   weights `"RRA"` gives its statistic rho instead of a p-value: a list that
#'   counts twice is not independent of itself.
#' @param unranked List of unordered character vectors, in addition to `glist`: the names of each
#'   are tied at their mean rank.
#' @param p_adjust For `"RRA"` and `"mean"`: `"none"`, or the method of [stats::p.adjust()] by which a
#'   column `Adjusted` is computed over all `N` items; items that are in no list have p = 1. P-values assume that each
#'   list could have contained any of these ([check_universe()]).
#' @return A data frame with the columns `Name` and `Score`, best first, and `Adjusted` with `p_adjust`. For
#'   the methods of RobustRankAggreg the score is that of `aggregateRanks()` (small is good), except for
#'   ties; for any other aggregator large is good.
#' @examples
#' if (pyfsagg_available()) {
#'   lists <- list(c("a", "b", "c"), c("b", "a", "d"), c("a", "c"))
#'   aggregate_ranks(lists, N = 20, p_adjust = "BH")
#'   aggregateRanks(lists, N = 20)
#' }
#' @export
aggregate_ranks <- function(glist, rmat = NULL, N = NULL, method = "RRA", full = FALSE,
                            exact = FALSE, topCutoff = NULL, ties = "last", weights = NULL,
                            p_adjust = "none", unranked = NULL) {
  check_string(method, "method", "one name")
  check_choice(p_adjust, "p_adjust", stats::p.adjust.methods)
  if (p_adjust != "none" && (!method %in% c("RRA", "mean") || !is.null(weights))) {
    stop_pyfsagg("p_adjust belongs to p-values: method = \"RRA\" or \"mean\", without weights", "parameter")
  }
  if (!is.null(unranked) && !is.null(rmat)) {
    stop_pyfsagg("unranked belongs to glist; in rmat give its items equal ranks", "parameter")
  }
  lists <- if (is.null(rmat)) c(glist, unranked) else rmat
  same_order(list(glist = lists, N = N, topCutoff = topCutoff, weights = weights))
  if (!missing(glist) && inherits(glist, "pyfsagg_rank_table")) {
    others <- list(rmat, N, weights, unranked, if (full) full)
    return(aggregate_table(glist, method, exact, topCutoff, ties, p_adjust, others))
  }
  table <- if (is.null(rmat)) lists_as_ranks(glist, unranked) else normalized_ranks(rmat)
  sizes <- read_sizes(N, table)
  found <- ask("aggregate", c(table[c("ranks", "normalized")], list(
    method = method, full = check_flag(full, "full"), exact = check_flag(exact, "exact"),
    ties = check_choice(ties, "ties", c("last", "average")), weights = list_weights(weights, nrow(table$ranks)),
    universe = if (is.null(rmat)) sizes, top_cutoff = read_cutoff(topCutoff, nrow(table$ranks))
  )))
  aggregated(found, table$items, p_adjust, unlist(sizes))
}

# The lists of rank_table(), which says all of them itself.
aggregate_table <- function(table, method, exact, topCutoff, ties, p_adjust, others) {
  if (!all(vapply(others, is.null, NA))) {
    stop_pyfsagg("give N, full, weights and unranked to rank_table(), where the lists are", "parameter")
  }
  found <- ask("aggregate", list(
    method = method, ranks = rank_table_given(table)$value, exact = check_flag(exact, "exact"),
    ties = check_choice(ties, "ties", c("last", "average")),
    top_cutoff = read_cutoff(topCutoff, if (is.null(table$ranks)) length(table$paths) else nrow(table$ranks))
  ))
  aggregated(found, unlist(found$names), p_adjust, unlist(table$universe))
}

aggregated <- function(found, items, p_adjust, sizes) {
  names <- items[as.vector(found$order) + 1L]
  result <- data.frame(Name = names, Score = as.vector(found$score), row.names = names)
  if (p_adjust != "none") result$Adjusted <- stats::p.adjust(result$Score, p_adjust, n = max(length(names), sizes))
  result
}

#' @rdname aggregate_ranks
#' @export
aggregateRanks <- function(glist, rmat = NULL, N = NA, method = "RRA", full = FALSE, exact = FALSE,
                           topCutoff = NA) {
  if (is.null(rmat) && is.list(glist) && any(lengths(glist) == 0L | vapply(glist, anyDuplicated, 0) > 0)) {
    rmat <- last_places(lapply(glist, as.character), N, full)
  }
  if (is.data.frame(rmat)) rmat <- as.matrix(rmat)
  aggregate_ranks(glist, rmat, N, method, full, exact, topCutoff, ties = "average")
}

# Normalized ranks as that package reads lists without a name, or with one that is there twice: the last place counts.
last_places <- function(glist, N, full) {
  items <- unique(unlist(glist))
  sizes <- if (full) lengths(glist) else rep_len(if (all(is.na(N))) length(items) else N, length(glist))
  ranks <- mapply(function(one, size) (length(one) + 1L - match(items, rev(one))) / size, glist, sizes)
  matrix(if (full) ranks else replace(ranks, is.na(ranks), 1), length(items), dimnames = list(items, NULL))
}

# Names are matched here, once: (lists, items) with the place of each item, NA where it is not listed.
lists_as_ranks <- function(glist, unranked = NULL, duplicates = "error") {
  if (inherits(glist, "pyfsagg_rank_table")) {
    stop_pyfsagg("a rank_table() is taken by aggregate_ranks(), aggregate_lists() and the like", "input_type")
  }
  if (missing(glist) || !is.list(glist)) {
    stop_pyfsagg("glist must be a list of character vectors, best first", "input_type")
  }
  if (!is.null(unranked) && !is.list(unranked)) {
    stop_pyfsagg("unranked must be a list of character vectors", "input_type")
  }
  ordered <- rep(c(TRUE, FALSE), c(length(glist), length(unranked)))
  tied <- lapply(unname(c(as.list(glist), as.list(unranked))), places_of_names)
  if (duplicates == "first") tied <- lapply(tied, function(one) one[!duplicated(one$name), , drop = FALSE])
  lists <- lapply(tied, function(one) one$name)
  sizes <- lengths(lists)
  if (!length(lists) || any(sizes == 0L)) {
    which <- if (length(lists)) paste(" :", "list", which(sizes == 0L)[1]) else ""
    stop_pyfsagg(paste0("glist has a list without names", which), "data")
  }
  words <- enc2utf8(unlist(lists))
  items <- unique(words)
  codes <- match(words, items)
  list_of <- rep.int(seq_along(lists), sizes)
  at <- (codes - 1) * length(lists) + list_of # as in a matrix with a row for each list
  if (anyDuplicated(at)) {
    again <- which(duplicated(at))[1]
    stop_pyfsagg(
      paste0("the name '", words[again], "' occurs twice in list ", list_of[again], ": keep its first place"),
      "data"
    )
  }
  if (length(lists) > 1L && length(items) == length(words)) {
    warn_pyfsagg("no name is in two lists: there is no agreement to find, the result interleaves the lists")
  }
  ranks <- matrix(NA_real_, length(lists), length(items))
  places <- unlist(lapply(tied, function(one) rank(one$place)))
  ranks[at] <- ifelse(ordered[list_of], places, (sizes[list_of] + 1) / 2)
  list(ranks = ranks, normalized = FALSE, items = items)
}

# Names with their places; in a list several names at one place are a tie.
places_of_names <- function(one) {
  if (is.list(one) && !is.data.frame(one) && all(vapply(one, is.atomic, NA))) {
    place <- rep(seq_along(one), lengths(one))
    one <- unlist(lapply(one, as.character))
  } else if (is.atomic(one)) {
    one <- as.character(one)
    place <- seq_along(one)
  } else {
    stop_pyfsagg("glist must be a list of character vectors, best first", "input_type")
  }
  known <- !is.na(one) & nzchar(one)
  list2DF(list(name = one[known], place = place[known]))
}

normalized_ranks <- function(rmat) {
  if (!is.matrix(rmat) || !is.numeric(rmat)) {
    stop_pyfsagg("rmat must be a matrix of normalized ranks, items by lists", "input_type")
  }
  items <- rownames(rmat)
  if (is.null(items)) items <- as.character(seq_len(nrow(rmat)))
  if (anyNA(items) || anyDuplicated(items)) {
    stop_pyfsagg("rmat needs a different row name for every item", "data")
  }
  ranks <- unname(t(rmat))
  storage.mode(ranks) <- "double"
  list(ranks = ranks, normalized = TRUE, items = items)
}

read_sizes <- function(N, table) {
  if (is.null(N) || all(is.na(N))) return(NULL)
  if (!is.numeric(N) || anyNA(N) || any(N != round(N)) || !length(N) %in% c(1L, nrow(table$ranks))) {
    refuse_argument("N", paste0("one whole number, or one for each of the ", nrow(table$ranks), " lists"), N)
  }
  if (any(N < length(table$items)) && !table$normalized) {
    stop_pyfsagg(
      paste0("N = ", min(N), " is smaller than the ", length(table$items),
             " different items in the lists; it counts every item that could have been listed"),
      "parameter"
    )
  }
  as.list(as.integer(N))
}

read_cutoff <- function(topCutoff, n_lists) {
  if (is.null(topCutoff) || all(is.na(topCutoff))) return(NULL)
  if (!is.numeric(topCutoff) || anyNA(topCutoff) || any(topCutoff <= 0 | topCutoff > 1) ||
      !length(topCutoff) %in% c(1L, n_lists)) {
    refuse_argument("topCutoff", paste0("one share above 0 and up to 1, or one for each of the ", n_lists, " lists"),
                    topCutoff)
  }
  as.list(as.double(rep_len(topCutoff, n_lists)))
}

list_weights <- function(weights, n_lists) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || length(weights) != n_lists || anyNA(weights) || any(weights < 0)) {
    refuse_argument("weights", paste0("one number of at least 0 for each of the ", n_lists, " lists"), weights)
  }
  as.list(as.double(weights))
}
