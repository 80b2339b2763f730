#' Ensembles in the resampling of caret and the scores of filtro
#'
#' `caret_functions()` puts the ranking of an ensemble into the functions that `rfe()` and `sbf()` of the package
#' caret call: features are ranked in the training rows of each of caret's resamples, and on all rows at the end.
#' `sbf()` then needs `sbfControl(multivariate = TRUE)`, as an ensemble looks at all features at once.
#'
#' `filtro_score()` is a score object of the package filtro, for its `fit()`, `arrange_score()`, `bind_scores()` and
#' the like, or, of a result, the fitted object. In the other direction, [wam()], [bam()] and [evaluate()] take score
#' objects of filtro as filters, such as `filter = filtro::score_aov_pval`: rows are repeated as often as they are
#' drawn, columns are numbers, scores of which small ones are best change their sign, and a feature without a score,
#' or with an infinite one, has the largest score of the others, as filtro keeps it. Case weights are the `weights` of
#' [wam()]; those of `hardhat::frequency_weights()` are its `counts`.
#'
#' @param functions A list of functions such as `caret::ldaFuncs` and `caret::rfFuncs` for `rfe()`, or `caret::ldaSBF`
#'   for `sbf()`.
#' @param method,x [wam()] or [bam()]; `x` may also be their result.
#' @param n For `sbf()`: the features that are kept, as in [selected()].
#' @param ... Arguments of `method`, such as `filter`, `n_resamples` and `seed`; by default `set.seed()` decides. A
#'   number is a regression, which needs a filter for numbers, such as `filter = "pearson"`.
#' @return A list of functions, or a score object.
#' @name caret
#' @aliases filtro
#' @examples
#' \donttest{
#' if (pyfsagg_available() && requireNamespace("caret", quietly = TRUE)) {
#'   functions <- caret_functions(caret::ldaFuncs, n_resamples = 20)
#'   control <- caret::rfeControl(functions, number = 3, method = "cv")
#'   caret::rfe(iris[1:4], iris$Species, sizes = 1:3, rfeControl = control)
#' }
#' if (pyfsagg_available() && requireNamespace("filtro", quietly = TRUE)) {
#'   score <- generics::fit(filtro_score(wam, n_resamples = 20, seed = 1), Species ~ ., iris)
#'   filtro::arrange_score(score)
#'   wam(Species ~ ., iris, filter = filtro::score_aov_pval, n_resamples = 5, seed = 1)
#' }
#' }
NULL

#' @rdname caret
#' @export
caret_functions <- function(functions, method = wam, n = "auto", ...) {
  if (!is.list(functions) || !any(c("rank", "score") %in% names(functions))) {
    refuse_argument("functions", "a list of functions for caret's rfe() or sbf(), such as caret::ldaFuncs", functions)
  }
  run <- function(x, y) {
    task <- if (is.numeric(y)) list(task = "regression")
    settings <- utils::modifyList(as.list(task), list(...))
    do.call(method, c(list(as.data.frame(x), y, progress = FALSE), settings))
  }
  if ("rank" %in% names(functions)) {
    functions$rank <- function(object, x, y) {
      if (ncol(x) == 1L) return(data.frame(Overall = 1, var = colnames(x), row.names = colnames(x)))
      scores <- sort(scores_of_columns(run(x, y)), decreasing = TRUE)
      data.frame(Overall = unname(scores), var = names(scores), row.names = names(scores))
    }
    return(functions)
  }
  functions$score <- function(x, y) {
    if (is.null(dim(x))) stop_pyfsagg("say multivariate = TRUE in caret::sbfControl()", "parameter")
    result <- run(x, y)
    structure(scores_of_columns(result)[colnames(x)], selected = selected(result, n, columns = TRUE))
  }
  functions$filter <- function(score, x, y) stats::setNames(colnames(x) %in% attr(score, "selected"), colnames(x))
  functions
}

#' @rdname caret
#' @export
filtro_score <- function(x = wam, ...) {
  run <- x
  if (inherits(x, "pyfsagg_ensemble")) run <- function(...) x
  made <- filtro_class()(
    case_weights = TRUE, range = c(-Inf, Inf), inclusive = c(FALSE, FALSE), fallback_value = Inf,
    score_type = "ensemble", transform_fn = identity, direction = "maximize", deterministic = FALSE, tuning = FALSE,
    label = "Ensemble of filters", packages = "pyfsaggr", calculating_fn = function(formula, data, weights) {
      do.call(run, c(list(formula, data, progress = FALSE), case_weights(weights), list(...)))
    }
  )
  if (inherits(x, "pyfsagg_ensemble")) fit_filtro(made, ~ ., NULL) else made
}

fit_filtro <- function(object, formula, data, case_weights = NULL, ...) {
  result <- S7::prop(object, "calculating_fn")(formula, data, case_weights)
  scores <- scores_of_columns(result)
  S7::prop(object, "results") <- tibble::tibble(
    name = S7::prop(object, "score_type"), score = unname(scores),
    outcome = result$data$target, predictor = names(scores)
  )
  object
}

# The class of our scores, which is made when it is needed: its parent is known only where filtro is.
filtro_class <- function() {
  if (is.null(state$filtro)) {
    state$filtro <- S7::new_class("class_score_pyfsagg", filtro::class_score, "pyfsaggr")
    registerS3method("fit", "pyfsaggr::class_score_pyfsagg", fit_filtro, asNamespace("generics"))
  }
  state$filtro
}

# A score of filtro as a filter of this package.
filter_of_filtro <- function(score) {
  scored <- function(x, y, weight) {
    rows <- rep(seq_len(nrow(x)), weight)
    target <- list2DF(list(.target = if (is.character(y)) factor(y[rows]) else y[rows]))
    data <- cbind(target, as.data.frame(x[rows, ]))
    fitted <- generics::fit(score, .target ~ ., data)
    found <- S7::prop(fitted, "results")
    values <- S7::prop(score, "transform_fn")(found$score)
    if (S7::prop(fitted, "direction") == "minimize") values <- -values
    known <- is.finite(values)
    if (!any(known)) stop("the score of filtro is not defined for these features and this target", call. = FALSE)
    values[!known] <- max(values[known])
    stats::setNames(values, found$predictor)
  }
  structure(scored, label = S7::prop(score, "score_type"))
}

as_filter <- function(one) if (inherits(one, "filtro::class_score")) filter_of_filtro(one) else one
