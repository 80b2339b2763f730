#' Ranked lists in one table, and what aggregates them
#'
#' `rank_table()` reads lists of names, matrices of ranks or scores, and files, with their ties, duplicates and
#' numbers of items; [aggregate_ranks()] takes it as `glist`. `aggregate_lists()` returns everything that
#' an aggregation says (p-values, adjusted ones, remarks) and writes its page; `compare_aggregations()`
#' aggregates the same lists by several methods; `permutation_p_values()` says how often chance alone makes an item
#' score as high when lists depend on one another; `check_universe()` tests whether cut-off lists come from as many
#' items as `N` says.
#'
#' P-values assume that each list could contain any of the `N` items. If the lists come from fewer, such as the genes
#' that all studies measured, p-values are far too small. `check_universe()` counts how often the lower parts of the
#' lists repeat an item: more often than independent lists of `N` items would, if `N` is too large, but also if what the
#' lists have in common reaches that deep, or if they depend on one another.
#'
#' @param x For `rank_table()` a list of rankings, best first, each a character vector, or a list of names in
#'   which a vector of several names is a tie; a matrix with a row for each item and a column for each list; or paths of
#'   files. For the others a `rank_table()`, or such a list of rankings.
#' @param input What `x` is: `"lists"`, `"ranks"` (from 1, `NA` = not in the list), `"normalized"` (0 to 1),
#'   `"scores"` or `"files"`.
#' @param N How many items could have been listed: one number, or one for each list.
#' @param full Whether each list is complete in itself: an absent item is then unknown to it.
#' @param higher_is_better For scores, whether large ones are good; for tables in files, for the column `by`.
#' @param ties For scores, which places equal ones have: `"average"`, `"min"`, `"max"`, `"dense"`,
#'   `"ordinal"` or `"random"`.
#' @param duplicates `"error"` refuses a name that is twice in a list, `"first"` keeps its first place.
#' @param unranked List of character vectors in no order.
#' @param seed A whole number.
#' @param ids For files that are tables, the column of the names.
#' @param by The column of such tables by which they are ranked. Those of MAGeCK, drugZ and BAGEL are known.
#' @param best_first Whether files are known to be best first: otherwise an alphabetical order, or the same order in two
#'   tables, is an error.
#' @param method,methods Names from `list_methods("aggregators")`.
#' @param p_adjust How p-values are corrected: `"bh"`, `"holm"`, `"bonferroni"`, ... or `"none"`.
#' @param weights What each list counts.
#' @param method_params A named list with a list of options for each method.
#' @param groups The source of each list: lists of one source are relabelled together.
#' @param null A function of a seed that makes all lists again with a shuffled target, over the same items in the
#'   same order, as a `rank_table()` or what that reads; each item is then compared with its own null scores.
#' @param n_permutations Number of permutations.
#' @param top_share The share of each list, from its top, that does not count in `check_universe()`: there lists may
#'   have items in common for a reason.
#' @param confidence_level Of the upper limit of the number of items.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @param ... Options of the aggregator.
#' @return `rank_table()` returns a list of class `pyfsagg_rank_table`, the others lists with a `table`
#'   ([answers]); that of `check_universe()` has one row, with `pool_upper`, the most items from which the lists come,
#'   missing where `N` is not contradicted.
#' @name ranked_lists
#' @examples
#' if (pyfsagg_available()) {
#'   lists <- rank_table(list(first = list("a", c("b", "c"), "d"), second = c("b", "a", "b")),
#'                       duplicates = "first", N = 20)
#'   aggregate_lists(lists, "borda")
#'   compare_aggregations(lists, c("borda", "median_rank"))
#'   permutation_p_values(lists, "borda", n_permutations = 19, seed = 1)
#'   check_universe(rank_table(list(letters[1:10], letters[c(2, 1, 3, 11:17)]), N = 100))
#' }
NULL

#' @rdname ranked_lists
#' @export
rank_table <- function(x, input = "lists", N = NULL, full = input %in% c("normalized", "scores"),
                       higher_is_better = TRUE, ties = "average", duplicates = "error", unranked = NULL,
                       weights = NULL, seed = NULL, ids = NULL, by = NULL, best_first = FALSE) {
  check_choice(input, "input", c("lists", "ranks", "normalized", "scores", "files"))
  check_choice(duplicates, "duplicates", c("error", "first"))
  check_choice(ties, "ties", c("average", "min", "max", "dense", "ordinal", "random"))
  if (!is.null(unranked) && !input %in% c("lists", "files")) {
    stop_pyfsagg("unranked belongs to lists; in a matrix give its items equal ranks", "parameter")
  }
  same_order(list(x = if (input == "lists") c(x, unranked) else x, N = N, weights = weights))
  refuse_unused(input, list(N = N), c("lists", "ranks", "scores", "files"), NULL)
  refuse_unused(input, list(ties = ties), c("scores", "files"), "average")
  refuse_unused(input, list(higher_is_better = higher_is_better), c("scores", "files"), TRUE)
  refuse_unused(input, list(ids = ids), "files", NULL)
  refuse_unused(input, list(by = by), "files", NULL)
  refuse_unused(input, list(best_first = best_first), "files", FALSE)
  found <- if (input == "files") {
    list(paths = as.list(path.expand(check_names_of_files(x))))
  } else if (input == "lists") {
    lists_as_ranks(x, unranked, duplicates)[c("ranks", "items")]
  } else {
    matrix_of_lists(x)
  }
  n_lists <- if (!is.null(found$ranks)) nrow(found$ranks)
  structure(c(found, list(
    input = input, list_names = list_names(x, input, n_lists), full = check_flag(full, "full"),
    higher_is_better = check_flag(higher_is_better, "higher_is_better"), ties = ties, duplicates = duplicates,
    universe = if (!is.null(N)) as.list(vapply(N, check_count, 1L, name = "N")),
    weights = list_weights(weights, if (is.null(n_lists)) length(weights) else n_lists),
    seed = if (!is.null(seed)) check_count(seed, "seed", low = 0),
    unranked = if (input == "files") as.list(unranked),
    ids = if (!is.null(ids)) check_string(ids, "ids", "one name"),
    by = if (!is.null(by)) check_string(by, "by", "one name"),
    best_first = check_flag(best_first, "best_first")
  )), class = "pyfsagg_rank_table")
}

#' @export
print.pyfsagg_rank_table <- function(x, ...) {
  if (is.null(x$ranks)) {
    cat("Ranked lists of ", length(x$paths), " file(s)\n", sep = "")
  } else {
    cat(nrow(x$ranks), " ranked lists (", x$input, ") of ", ncol(x$ranks), " items\n", sep = "")
  }
  invisible(x)
}

# An argument that this kind of input has no use for would be ignored.
refuse_unused <- function(input, argument, kinds, default) {
  if (!input %in% kinds && !identical(argument[[1]], default)) {
    stop_pyfsagg(paste0(names(argument), " does not belong to input = \"", input, "\""), "parameter")
  }
}

check_names_of_files <- function(x) {
  if (!is.character(x) || !length(x) || anyNA(x)) refuse_argument("x", "paths of files", x)
  x
}

matrix_of_lists <- function(x) {
  if (!is.matrix(x) || !is.numeric(x)) refuse_argument("x", "a matrix of numbers, items by lists", x)
  items <- if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x)
  ranks <- unname(t(x))
  storage.mode(ranks) <- "double"
  list(ranks = ranks, items = items)
}

list_names <- function(x, input, n_lists) {
  names <- if (input == "lists") names(x) else if (is.matrix(x)) colnames(x)
  if (length(names) && identical(length(names), n_lists) && all(nzchar(names))) as.list(enc2utf8(names))
}

# A table of ranked lists as Python is given it.
rank_table_given <- function(x) {
  if (!inherits(x, "pyfsagg_rank_table")) x <- rank_table(x)
  given <- unclass(x)
  if (!is.null(given$items)) given$items <- as.list(enc2utf8(given$items))
  marked("rank_table", given[!vapply(given, is.null, NA)])
}
