#' Stability: the agreement of resamples
#'
#' @param x A result of [wam()] or [bam()]; a numeric matrix of scores (resamples by features, large
#'   is important); a logical matrix of selections, or a list of logical vectors; or a list of
#'   character vectors, the selected features of each resample.
#' @param measures Names from `list_methods("stability")`; by default all that apply. With a single name, an
#'   undefined value is an error instead of a note.
#' @param compare A second collection over the same features, to test equal stability of both selections.
#' @param paired Whether row i of both comes from the same resample.
#' @param names Names of the two collections.
#' @param n_features Number of features to choose from; for lists.
#' @param n_features_to_select For measures of selections on scores: the number or share of selected features.
#' @param similarity Matrix of similarities from 0 to 1, features by features, for the measures that
#'   need one according to `list_methods("stability")`. Rows and columns with names are matched to the
#'   features by them; lists of names need them, lists of numbers mean rows.
#' @param input For a numeric matrix: `"scores"` (the default), `"ranks"` (1 is the best) or `"sets"` (1
#'   is selected); required if the matrix has only zeros and ones.
#' @param undefined For one measure: the value of undefined pairs; by default they are omitted.
#' @param interval `"jackknife"`, `"bootstrap"`, `"analytic"` (of Nogueira's measure), or `NULL` for none.
#' @param confidence_level Confidence level of the intervals.
#' @param n_boot Number of bootstrap repetitions.
#' @param sizes For scores and ranks: sizes of selections for the attribute `curve`; a few by default.
#' @param ties Treatment of equal scores at the cut of a selection: `"random"` (the mean over all their
#'   orders) or `"first"` (the first columns, as in published results).
#' @param seed Seed of drawn orders of ties, and of the bootstrap; by default R draws one.
#' @param measure_params For one measure: a named list of its options, such as `list(correction = "exact")`.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return A data frame of class `pyfsagg_stability` with one row for each measure: value, interval and
#'   `n_tied`, the number of resamples with equal scores at the cut. The intervals refer to resamples
#'   drawn in the same way: to a repetition with another seed, if they come from one data set. Its attributes are
#'   `features`, the stability of each feature, `curve`, the stability of selections of many sizes, and `pair`, the
#'   comparison; each may be `NULL`.
#' @name stability
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 30, seed = 1)
#'   stability(result, c("pearson", "spearman", "jaccard"))
#'   stability(list(c("a", "b"), c("a", "c"), c("a", "b")), n_features = 10)
#' }
NULL

stability_table <- function(found) {
  as_result(
    found$table, "stability", features = found$features, curve = found$curve, pair = found$pair,
    files = attr(found, "files"), call = found$call
  )
}

# A collection of scores, ranks or selections, as Python is given it.
#
# gaps: whether scores may be missing. name: of the argument. asks: whether its function has `input`, which says what
# zeros and ones are; otherwise they are selections.
collection <- function(x, input = NULL, n_features = NULL, gaps = FALSE, name = "x", asks = TRUE) {
  if (!is.null(input)) check_choice(input, "input", c("scores", "ranks", "sets"))
  if (!is.null(n_features)) n_features <- check_count(n_features, "n_features")
  if (inherits(x, "pyfsagg_ensemble")) x <- x$combined
  if (is.list(x) && !is.data.frame(x) && length(x) && all(vapply(x, is.logical, NA))) {
    if (length(unique(lengths(x))) != 1L) {
      stop_pyfsagg(
        paste(name, "is a list of selections of different lengths: give one TRUE or FALSE for each feature"), "data"
      )
    }
    in_order <- function(one) if (is_reordered(names(one), names(x[[1]]))) one[names(x[[1]])] else one
    x <- do.call(rbind, lapply(x, in_order))
  }
  if (is.matrix(x) && (is.logical(x) || is.numeric(x))) {
    if (anyNA(x) && !(gaps && is.numeric(x))) stop_pyfsagg(paste(name, "has missing values (NA)"), "data")
    if (is.logical(x)) input <- "sets"
    if (asks && is.null(input) && all(x == 0 | x == 1, na.rm = TRUE)) {
      stop_pyfsagg(
        "x holds zeros and ones only: say input = \"sets\" for selections, or input = \"scores\"", "parameter"
      )
    }
    data <- unname(x)
    storage.mode(data) <- if (identical(input, "sets")) "logical" else "double"
    names <- if (!is.null(colnames(x))) as.list(enc2utf8(colnames(x)))
    return(list(kind = if (is.null(input)) "scores" else input, data = data, feature_names = names))
  }
  if (is.list(x) && !is.data.frame(x)) {
    data <- lapply(unname(x), function(one) {
      if (length(one) && (!is.atomic(one) || anyNA(one))) {
        stop_pyfsagg(paste(name, "is a list: its selections are vectors of names without NA"), "data")
      }
      enc2utf8(as.character(one))
    })
    return(list(kind = "lists", data = data, n_features = n_features))
  }
  stop_pyfsagg(
    paste0(name, " must be a result, a matrix or a list of character vectors, not ", describe(x)), "input_type"
  )
}

# Similarities of the features of x, with the names of the features where both have names; or a word.
similarity_given <- function(similarity, x) {
  if (is.null(similarity) || is.character(similarity)) return(similarity)
  if (is.data.frame(similarity)) similarity <- as.matrix(similarity)
  if (!is.matrix(similarity) || !is.numeric(similarity) || nrow(similarity) != ncol(similarity) || anyNA(similarity)) {
    refuse_argument("similarity", "a square matrix of numbers, features by features", similarity)
  }
  names <- list(rownames(similarity), colnames(similarity))
  names[lengths(names) == 0L] <- names[lengths(names) > 0L][1]
  sets <- is.list(x) && !is.data.frame(x) && !is.object(x) && !any(vapply(x, is.logical, NA))
  if (sets && all(vapply(x, is.numeric, NA))) {
    names <- rep(list(as.character(seq_len(nrow(similarity)))), 2L)
  } else if (sets && is.null(names[[1]])) {
    stop_pyfsagg("similarity: name its rows and columns by the features, as x has their names", "parameter")
  }
  unnamed <- is.null(names[[1]]) || (is.matrix(x) && is.null(colnames(x)))
  if (unnamed) return(marked("matrix", unname(similarity)))
  marked("square", list(
    values = unname(similarity), rows = as.list(enc2utf8(names[[1]])), columns = as.list(enc2utf8(names[[2]]))
  ))
}

#' @export
print.pyfsagg_stability <- function(x, n = nrow(x), digits = 3, ...) {
  columns <- intersect(c("measure", "value", "lower", "upper"), names(x))
  print(utils::head(as.data.frame(x)[columns], n), digits = digits, row.names = FALSE, ...)
  notes <- if (!is.null(x$note)) x$note else character(nrow(x))
  notes[is.na(notes)] <- ""
  for (note in unique(notes[nzchar(notes)])) {
    about <- paste(x$measure[notes == note], collapse = ", ")
    cat(strwrap(paste0(about, ": ", note), exdent = 2), sep = "\n")
  }
  tied <- suppressWarnings(max(x$n_tied, na.rm = TRUE))
  if (is.finite(tied) && tied > 0) {
    cat(strwrap(paste(
      "In", tied, "resamples equal scores compete for the last selected places: their order is arbitrary, and",
      "the values are means over their orders."
    )), sep = "\n")
  }
  invisible(x)
}

#' More on the stability of selections
#'
#' `nogueira()` estimates the stability of Nogueira with its variance and interval, and `nogueira_test()`
#' tests its value;
#' `feature_stability()` measures the stability of the place of each feature, `stability_curve()` that of the
#' best k for many k; `adequacy()` estimates how much another run with as many resamples would
#' change scores and ranks; `between_sample_stability()` compares rankings of pairs of samples without a
#' common row; `pareto_front()` marks the methods that no other one beats in stability and accuracy;
#' `membership_similarity()` measures how far features are in the same sets, such as pathways, or sets share
#' members, for `similarity` of [stability()].
#'
#' @inheritParams stability
#' @param x A result of [wam()] or [bam()]; a matrix of scores or ranks with a row for each resample; a
#'   logical matrix of selections; or a list of selections by name.
#' @param n_features_to_select Number or share of the features that a resample selects.
#' @param input What the numbers of a matrix are: `"scores"`, `"ranks"` or `"sets"`. By default numbers are scores.
#' @param null_value,alternative For the test: the stability under the hypothesis, and `"two-sided"`,
#'   `"greater"` or `"less"`.
#' @param ... `checkpoint`, `scratch` and `memory_limit` ([settings]).
#' @param confidence_level Confidence level of the intervals.
#' @param quantiles Quantiles of the ranks of a feature to return.
#' @param measures Names of measures; for the curve of sets.
#' @param sizes For `stability_curve()`, which k; a few by default. For `adequacy()`, for how many of the resamples the
#'   numbers are computed as well, or `"auto"`.
#' @param first,second Matrices of scores of the first and of the second sample of each pair.
#' @param n_rows Number of rows of each sample.
#' @param aggregator A function of a matrix of scores (resamples in rows) that returns a score for each feature;
#'   by default that of the result, and for a matrix the mean.
#' @param by How repetitions are simulated: `"bootstrap"` or `"halves"`; by default as suits the aggregator.
#' @param accuracy,higher_is_better For `pareto_front()`: the accuracy of the methods, and the
#'   direction of `stability`.
#' @param stability A number for each method.
#' @param sets A named list of the members of each set.
#' @param feature_names Further members, or sets, which are not similar to any other.
#' @param of Similarity of `"members"` or of `"sets"`.
#' @return `nogueira()`, `nogueira_test()`, `adequacy()` and `between_sample_stability()` return lists ([answers]);
#'   `feature_stability()` and `stability_curve()` data
#'   frames; `pareto_front()` a logical vector, `membership_similarity()` a square matrix.
#' @name stability_more
#' @examples
#' if (pyfsagg_available()) {
#'   sets <- list(c("a", "b"), c("a", "c"), c("a", "b"), c("b", "a"))
#'   nogueira(sets, n_features = 10)
#'   nogueira_test(sets, 0.5, n_features = 10)$p_value
#'   result <- wam(Species ~ ., data = iris, n_resamples = 30, seed = 1)
#'   feature_stability(result)
#'   stability_curve(result, "jaccard", sizes = 1:3, seed = 1)
#'   adequacy(result, seed = 1)
#'   between_sample_stability(result$combined[1:15, ], result$combined[16:30, ])
#'   pareto_front(c(0.9, 0.5, 0.6), c(0.7, 0.9, 0.6))
#'   membership_similarity(list(one = c("a", "b"), two = c("b", "c")))
#' }
NULL

# The columns in the order of those of another matrix, where both have names.
columns_like <- function(second, first, name) {
  if (is.null(colnames(first)) || is.null(colnames(second))) return(second)
  if (!setequal(colnames(first), colnames(second))) {
    stop_pyfsagg(paste0("the columns of ", name, " must have the same names: they are the same features"), "data")
  }
  second[, colnames(first), drop = FALSE]
}
