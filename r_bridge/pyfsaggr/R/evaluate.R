#' What are the selected features worth to classifiers?
#'
#' Classifies with the best 10 %, 20 %, ... of the features of each ranking method, beside all
#' features and random subsets, on the same folds.
#'
#' @inheritParams wam
#' @param methods How to rank: names of filters, `"bam"`, either followed by `"/"` and an aggregator
#'   (`"mrmr/rra"`). By default the four filters of the thesis and `"bam"`.
#' @param classifiers Names: `"logistic_regression"`, `"naive_bayes"`, `"random_forest"`, `"svm"`,
#'   `"knn"`, ...; for a regression `"ridge"`, `"random_forest"`, `"svm"`, `"knn"`.
#' @param thresholds Shares of the features that are kept.
#' @param protocol `"thesis"` (rank on two thirds, classify on the rest), `"nested"` (rank inside every
#'   training fold, no leakage), or `"both"`.
#' @param metrics `"accuracy"` (the default), `"balanced_accuracy"`, `"roc_auc"`,
#'   `"matthews_correlation"`, `"average_precision"`, `"log_loss"`; for a regression `"r2"` (the
#'   default), `"mean_absolute_error"`, `"root_mean_squared_error"`.
#' @param n_folds Number of folds.
#' @return An object of class `pyfsagg_evaluation`: a list with `cells` (one row for each fold of each
#'   combination), `summary` (means over folds), `weighted` (averages over thresholds, weighted by the
#'   share of features left out), `comparison` (sentences on which methods differ), `remarks`,
#'   `parameters`, `data` and `versions`.
#' @examples
#' if (pyfsagg_available()) {
#'   evaluate(Species ~ ., data = iris, methods = "information_gain", thresholds = c(0.5, 1),
#'            classifiers = "naive_bayes", n_resamples = 20, seed = 1)
#' }
#' @export
evaluate <- function(x, ...) UseMethod("evaluate")

#' @rdname evaluate
#' @export
evaluate.formula <- function(x, data, ...) {
  parts <- formula_parts(x, data)
  evaluate.default(parts$x, parts$y, ..., target_name = parts$name)
}

#' @rdname evaluate
#' @export
evaluate.default <- function(x, y, methods = NULL, classifiers = NULL, thresholds = NULL,
                             protocol = "nested", metrics = NULL, n_folds = 5,
                             n_resamples = 1000, seed = NULL, cores = 1, progress = interactive(),
                             ...) {
  found <- ask("evaluate", run_arguments(
    x, y, seed, cores, progress, methods = methods, classifiers = classifiers,
    thresholds = thresholds, protocol = protocol, metrics = metrics, n_folds = n_folds,
    n_resamples = n_resamples, ...
  ))
  structure(
    list(
      cells = as_frame(found$cells), summary = as_frame(found$summary),
      weighted = as_frame(found$weighted), comparison = as.character(unlist(found$comparison)),
      remarks = as.character(unlist(found$remarks)), parameters = found$parameters,
      data = found$data, versions = found$versions
    ),
    class = "pyfsagg_evaluation"
  )
}

#' @export
print.pyfsagg_evaluation <- function(x, digits = 3, ...) {
  cat("Average over thresholds, weighted by the share of features left out\n\n")
  shown <- x$weighted[setdiff(names(x$weighted), if (!any(x$weighted$n_missing > 0)) "n_missing")]
  print(shown, digits = digits, row.names = FALSE, ...)
  for (text in c(x$comparison, x$remarks)) {
    cat("\n", paste(strwrap(text), collapse = "\n"), "\n", sep = "")
  }
  invisible(x)
}

#' @export
summary.pyfsagg_evaluation <- function(object, ...) object$summary

#' @export
as.data.frame.pyfsagg_evaluation <- function(x, ...) x$cells

#' @export
plot.pyfsagg_evaluation <- function(x, metric = x$summary$metric[1], protocol = x$summary$protocol[1],
                                    ...) {
  found <- x$summary[x$summary$metric == metric & x$summary$protocol == protocol, ]
  if (!nrow(found)) {
    stop_pyfsagg("this evaluation does not have that metric under that protocol", "parameter")
  }
  classifiers <- unique(found$classifier)
  methods <- unique(found$method)
  colours <- stats::setNames(grDevices::palette.colors(length(methods), "Okabe-Ito", recycle = TRUE), methods)
  old <- graphics::par(
    mfrow = rev(grDevices::n2mfrow(length(classifiers))), mar = c(4, 4, 2, 1)
  )
  on.exit(graphics::par(old))
  for (classifier in classifiers) {
    panel <- found[found$classifier == classifier, ]
    graphics::plot(
      range(100 * panel$threshold), range(found$mean, na.rm = TRUE), type = "n",
      xlab = "% of features kept", ylab = gsub("_", " ", metric), main = gsub("_", " ", classifier), ...
    )
    for (method in methods) {
      line <- panel[panel$method == method, ]
      line <- line[order(line$threshold), ]
      graphics::lines(100 * line$threshold, line$mean, col = colours[method], type = "b", pch = 20)
    }
  }
  graphics::legend(
    "bottomright", gsub("_", " ", methods), col = colours, lty = 1, pch = 20, bty = "n", cex = 0.8
  )
  invisible(found)
}
