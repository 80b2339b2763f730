#' Filters under the names of the packages praznik and FSelectorRcpp
#'
#' Code written for praznik (13.0.0) and FSelectorRcpp (0.3.13) runs with these functions, after
#' `attach_compatible("praznik")` and `attach_compatible("FSelectorRcpp")`: names, arguments, shapes
#' and values are the same, but for what is said here. There are functions for the filters that this package has; of
#' the others, praznik's `CMI()`, `JMI3()` and `JIM()` and FSelectorRcpp's `relief()` are missing. `discretize()` here
#' has other arguments than FSelectorRcpp's.
#'
#' praznik cuts columns of doubles into at most ten bins, and takes integers, logicals and factors as categories; so
#' do these functions. Features whose scores are equal but for rounding may come in another order. Refused here are
#' tables of one feature, and targets with more classes than a quarter of the rows.
#'
#' `information_gain()` cuts numbers by the classes. FSelectorRcpp gives `NaN` as the gain ratio of a column that is
#' cut nowhere (here 0), and the entropy of the classes as the gain of every logical column (here its own gain).
#' `x` and `y` are given by their names, as `information_gain(x = x, y = y)`, since the first argument is a formula;
#' `cut_attrs()` cuts without FSelectorRcpp's warnings.
#'
#' @param X,x Data frame, or matrix; for `information_gain()` also a sparse one.
#' @param Y,y Classes. A `Y` of doubles is cut like the columns of `X`.
#' @param k How many features are selected: a whole number. For `cut_attrs()` a number, or a share of at most 1.
#' @param positive `MRMR()` then ends before the first score that is not positive, and `k` is all features by default.
#' @param threads Not used.
#' @param formula,data Instead of `x` and `y`: a formula and a data frame with its columns.
#' @param type `"infogain"`, `"gainratio"` or `"symuncert"`.
#' @param equal,nbins Whether a `y` of doubles is cut into `nbins` parts of equal size; otherwise each of its values
#'   is a class.
#' @param discIntegers Whether columns of integers are cut; otherwise they are categories.
#' @param attrs What `information_gain()` returned.
#' @return The first functions return a list with `selection`, the numbers of the selected features, and `score`, both
#'   with the names of the features; `miScores()` a vector with names, `information_gain()` a data frame with
#'   `attributes` and `importance`, `cut_attrs()` the names of the best.
#' @seealso [score_features()] for every filter and [wam()] for resamples, [attach_compatible()]
#' @name praznik
#' @aliases FSelectorRcpp
#' @eval c(paste("@aliases", paste(names(PRAZNIK), collapse = " ")),
#'   paste("@usage", paste0(names(PRAZNIK), vapply(PRAZNIK, arguments_of, ""), collapse = "\n\n")))
#' @examples
#' if (pyfsagg_available()) {
#'   attach_compatible("praznik")
#'   MRMR(iris[-5], iris$Species, k = 2)
#'   miScores(iris[-5], iris$Species)
#'   detach("pyfsaggr:praznik")
#'   attach_compatible("FSelectorRcpp")
#'   found <- information_gain(Species ~ ., iris, type = "symuncert")
#'   cut_attrs(found, 2)
#'   detach("pyfsaggr:FSelectorRcpp")
#' }
NULL

of_criterion <- function(filter) {
  force(filter)
  function(X, Y, k = 3, threads = 0) praznik_selection(filter, X, Y, k)
}

of_mrmr <- function(X, Y, k = if (positive) ncol(X) else 3, positive = FALSE, threads = 0) {
  praznik_selection("mrmr", X, Y, k, check_flag(positive, "positive"))
}

of_information <- function(X, Y, threads = 0) {
  found <- praznik_selection("mim", X, Y, ncol(X))$score[columns_of(X)]
  stats::setNames(ifelse(is.na(found), 0, found), columns_of(X))
}

PRAZNIK <- list(
  CMIM = of_criterion("cmim"), DISR = of_criterion("disr"), JMI = of_criterion("jmi"), JMIM = of_criterion("jmim"),
  MIM = of_criterion("mim"), MRMR = of_mrmr, NJMIM = of_criterion("njmim"), miScores = of_information
)

list2env(PRAZNIK, environment())

praznik_selection <- function(filter, X, Y, k, until_zero = TRUE) {
  k <- check_count(k, "k")
  if (k > ncol(X)) refuse_argument("k", paste("at most the number of features,", ncol(X)), k)
  if (is.double(Y) && !is.factor(Y) && !anyNA(Y)) Y <- praznik_bins(Y)
  scores <- score_features(X, factor(Y), filter, n_features = k, binning = "praznik")
  chosen <- utils::head(attr(scores, "order"), k)
  score <- as.vector(scores[chosen])
  kept <- if (!score[1] > 0) 0L else if (until_zero) match(FALSE, score > 0, k + 1L) - 1L else k
  chosen <- chosen[seq_len(kept)]
  named <- function(values) stats::setNames(values, chosen)
  list(selection = named(match(chosen, columns_of(X))), score = named(score[seq_len(kept)]))
}

# Equal parts of a range that is widened by a thousandth, unless it begins or ends at 0 or at an extreme number.
praznik_bins <- function(values) {
  ends <- range(values)
  if (all(abs(ends) > 1e-14 & abs(ends) < 1e300)) {
    ends[1] <- ends[1] - diff(ends) / 1000
    ends[2] <- ends[2] + diff(ends) / 1000
  }
  n <- max(2, min(10, length(values) %/% 3))
  pmax(1, pmin(n, 1 + floor((values - ends[1]) / diff(ends) * n)))
}

#' @rdname praznik
information_gain <- function(formula, data, x, y, type = c("infogain", "gainratio", "symuncert"), equal = FALSE,
                             discIntegers = TRUE, nbins = 5, threads = 1) {
  if (missing(formula) != missing(data) || missing(x) != missing(y) || missing(formula) == missing(x) ||
    !missing(formula) && !inherits(formula, "formula")) {
    stop_pyfsagg("give either formula and data, or x and y, by their names", "parameter")
  }
  type <- match.arg(type)
  if (missing(x)) {
    x <- data[gsub("`", "", attr(stats::terms(formula, data = data), "term.labels"), fixed = TRUE)]
    y <- data[[as.character(formula[[2]])]]
  }
  if (anyNA(y)) {
    warn_pyfsagg("rows without a class are omitted")
    x <- x[!is.na(y), , drop = FALSE]
    y <- y[!is.na(y)]
  }
  if (is.double(y) && !is.factor(y) && check_flag(equal, "equal")) {
    ends <- round(seq_len(check_count(nbins, "nbins")) * length(y) / nbins)
    y <- findInterval(rank(y, ties.method = "first"), ends, left.open = TRUE)
  }
  whole <- if (!discIntegers && is.data.frame(x)) names(x)[vapply(x, is.integer, NA)]
  filter <- c(infogain = "information_gain", gainratio = "gain_ratio", symuncert = "symmetric_uncertainty")[[type]]
  scores <- score_features(x, factor(y), filter, nominal = if (length(whole)) whole, mdl = "fselectorrcpp")
  data.frame(attributes = names(scores), importance = as.vector(scores))
}

#' @rdname praznik
cut_attrs <- function(attrs, k = 0.5) {
  if (!is.data.frame(attrs) || !all(c("attributes", "importance") %in% names(attrs))) {
    refuse_argument("attrs", "a data frame with the columns attributes and importance", attrs)
  }
  n <- nrow(attrs)
  if (!is_number(k) || k <= 0) refuse_argument("k", "a number of features, or a share of at most 1", k)
  kept <- min(n, max(1, floor(if (k < 1) k * n else k)))
  as.character(attrs$attributes)[utils::head(order(-attrs$importance), kept)]
}
