# The columns of a ranking that are printed.
SHOWN <- c("feature", "rank", "score", "rank_set_lower", "rank_set_upper", "rank_lower", "rank_upper",
           "selection_frequency", "p_value", "family_wise_p_value", "status")

#' @export
print.pyfsagg_ensemble <- function(x, n = 10, digits = 3, ...) {
  cat(strwrap(headline(x), exdent = 2), "", sep = "\n")
  # A result that was saved by an older version has no proposal.
  if (!is.null(x$selection)) cat(strwrap(paste(x$selection$sentences, collapse = " ")), "", sep = "\n")
  shown <- utils::head(x$ranking, n)
  print(shown[intersect(SHOWN, names(shown))], digits = digits, row.names = FALSE, ...)
  left <- nrow(x$ranking) - nrow(shown)
  if (left > 0) cat("... and ", left, " more features\n", sep = "")
  tied <- sum(x$ranking$tied > 1)
  if (tied > 0) {
    cat(strwrap(paste(
      tied, "of", nrow(x$ranking), "features have the same score as another one: their order is",
      "arbitrary (column tied)."
    )), sep = "\n")
  }
  # A result that was saved by an older version has no such sentence.
  if (isTRUE(nzchar(x$about_copies))) cat(strwrap(x$about_copies), sep = "\n")
  if (isTRUE(nzchar(x$about_groups))) cat(strwrap(x$about_groups), sep = "\n")
  invisible(x)
}

headline <- function(x) {
  what <- if (x$method == "wam") "Within-aggregation (WAM)" else "Between-aggregation (BAM)"
  paste0(
    what, ": ", paste(gsub("_", " ", names(x$score_matrices)), collapse = ", "), "; ",
    gsub("_", " ", x$parameters$aggregator), " of ", nrow(x$combined), " resamples; ",
    nrow(x$ranking), " features"
  )
}

#' Summary of an ensemble ranking
#'
#' @param object A result of [wam()] or [bam()].
#' @param measures Stability measures to compute.
#' @param ... Passed on to [stability()].
#' @return An object of class `summary.pyfsagg_ensemble` with `headline`, `selection`, `ranking`,
#'   `between_samples` and `stability`.
#' @export
summary.pyfsagg_ensemble <- function(object, measures = c("pearson", "spearman", "canberra", "jaccard"),
                                     ...) {
  structure(
    list(
      headline = headline(object), ranking = object$ranking,
      stability = stability(object, measures, ...), between_samples = object$between_samples,
      selection = object$selection,
      seed = object$parameters$seed
    ),
    class = "summary.pyfsagg_ensemble"
  )
}

#' @export
print.summary.pyfsagg_ensemble <- function(x, digits = 3, ...) {
  cat(strwrap(x$headline, exdent = 2), "", sep = "\n")
  if (!is.null(x$selection)) cat(strwrap(paste(x$selection$sentences, collapse = " ")), "", sep = "\n")
  cat("Best features", sep = "\n")
  print(utils::head(x$ranking[intersect(SHOWN, names(x$ranking))], 10), digits = digits, row.names = FALSE)
  if (!is.null(x$between_samples)) {
    cat("\nHow far two samples of half the size would agree, selecting `top` features (limits are about the",
        "population;\n0: as features drawn at random; shuffled: the same features with shuffled targets)\n")
    print(x$between_samples, digits = digits, row.names = FALSE)
  }
  cat("\nHow far the resamples agree, which share rows of one sample\n")
  print(x$stability, digits = digits)
  invisible(x)
}

# Every result is of this class: it has a table and, where a user called a function for it, the call.
as_result <- function(value, kind, ...) {
  structure(value, class = c(paste0("pyfsagg_", kind), "pyfsagg_result", if (is.data.frame(value)) "data.frame"), ...)
}

#' @rdname answers
#' @export
as.data.frame.pyfsagg_result <- function(x, ...) {
  if (is.data.frame(x)) return(list2DF(lapply(stats::setNames(seq_along(x), names(x)), function(j) x[[j]])))
  table <- switch(class(x)[1],
    pyfsagg_ensemble = , pyfsagg_committee = x$ranking, pyfsagg_influence = x$stability, pyfsagg_evaluation = x$cells,
    x$table
  )
  if (!is.data.frame(table)) stop_pyfsagg("this answer has no table", "input_type")
  table
}

#' @rdname answers
#' @export
as.matrix.pyfsagg_result <- function(x, ...) {
  known <- switch(class(x)[1],
    pyfsagg_ensemble = x$combined, pyfsagg_committee = x$support, pyfsagg_influence = influence_table(x)
  )
  if (!is.null(known)) return(known)
  table <- as.data.frame(x)
  numbers <- vapply(table, function(column) is.numeric(column) || is.logical(column), NA)
  names <- if (is.character(table[[1]]) && !anyDuplicated(table[[1]])) table[[1]]
  structure(as.matrix(table[numbers]), dimnames = list(names, names(table)[numbers]))
}

#' @importFrom stats formula
#' @export
formula.pyfsagg_result <- function(x, ...) {
  call <- stats::getCall(x)
  frame <- parent.frame()
  if (identical(topenv(frame), asNamespace("stats"))) frame <- parent.frame(2) # update() asks for its caller
  given <- tryCatch(eval(first_filled(call$formula, call$x), frame), error = function(failure) NULL)
  if (!inherits(given, "formula")) stop_pyfsagg("this result was made without a formula", "input_type")
  data <- tryCatch(eval(first_filled(call$data, call$x), frame), error = function(failure) NULL)
  if (is.data.frame(data)) stats::formula(stats::terms(given, data = data)) else given # a dot as its columns
}

#' @importFrom stats getCall
#' @export
getCall.pyfsagg_result <- function(x, ...) first_filled(attr(x, "call"), unclass(x)$call)

#' @export
print.pyfsagg_result <- function(x, n = 10, digits = 3, ...) {
  sentences <- if (is.data.frame(x)) attr(x, "remarks") else x$sentences
  print.pyfsagg_answer(list(sentences = sentences, table = as.data.frame(x)), n, digits)
  invisible(x)
}
