#' @export
print.pyfsagg_ensemble <- function(x, n = 10, digits = 3, ...) {
  cat(strwrap(headline(x), exdent = 2), "", sep = "\n")
  # A result that was saved by an older version has no proposal.
  if (!is.null(x$selection)) cat(strwrap(paste(x$selection$sentences, collapse = " ")), "", sep = "\n")
  shown <- utils::head(x$ranking, n)
  keep <- c("feature", "rank", "score", "rank_set_lower", "rank_set_upper", "rank_lower",
            "rank_upper", "selection_frequency", "p_value", "family_wise_p_value", "status")
  print(shown[intersect(keep, names(shown))], digits = digits, row.names = FALSE, ...)
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
  keep <- c("feature", "rank", "score", "rank_set_lower", "rank_set_upper", "rank_lower",
            "rank_upper", "selection_frequency", "p_value", "family_wise_p_value", "status")
  print(utils::head(x$ranking[intersect(keep, names(x$ranking))], 10), digits = digits, row.names = FALSE)
  if (!is.null(x$between_samples)) {
    cat("\nHow far two samples of half the size would agree, selecting `top` features (limits are about the",
        "population;\n0: as features drawn at random; shuffled: the same features with shuffled targets)\n")
    print(x$between_samples, digits = digits, row.names = FALSE)
  }
  cat("\nHow far the resamples agree, which share rows of one sample\n")
  print(x$stability, digits = digits)
  invisible(x)
}

#' @export
as.data.frame.pyfsagg_ensemble <- function(x, ...) x$ranking
