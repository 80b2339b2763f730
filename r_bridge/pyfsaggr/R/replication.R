#' How many rows does a selection need so that another sample repeats it?
#'
#' `expected_replication()` ranks disjoint eighths, quarters and halves of the rows, measures the agreement of the best
#' features of two of them, and predicts it for the full size, twice and four times it. The limits of
#' the predictions come from thinned real tables; no prediction is made if the halves do not agree
#' more than on noise.
#'
#' @param x,y,seed,cores,progress As in [wam()].
#' @param n_features_to_select Number or share of selected features; fewer than all.
#' @param pairs Pairs of disjoint parts of each size, at least 5.
#' @param agreement The desired agreement (between 0 and 1), or `NULL`.
#' @param ... Further arguments of [bam()], or, with `filter`, of [wam()].
#' @return An object of class `pyfsagg_replication`: a list with `table` (a row for each size: `n_rows`, `agreement`,
#'   `lower`, `upper`, and the `source`, measured or expected), `sentences`, with `agreement` the number of rows
#'   needed (`n_rows`; `Inf` if more than four times those of the table, `NaN` without a prediction), and `call`.
#' @seealso [wam()], whose `between_samples` are the halves of a run.
#' @examples
#' if (pyfsagg_available()) {
#'   expected_replication(iris[1:4], iris$Species, 2, filter = "chi_squared", seed = 1)
#' }
#' @export
expected_replication <- function(x, y, n_features_to_select = 0.25, pairs = 20, agreement = NULL, seed = NULL,
                                 cores = 1, progress = interactive(), ...) {
  if (!is.null(agreement)) check_between(agreement, "agreement", 0, 1)
  found <- run_python(
    "expected_replication",
    list(
      n_features_to_select = n_features_to_select,
      pairs = check_count(pairs, "pairs"), agreement = agreement
    ),
    run_arguments(x, y, seed, cores, progress, ...)
  )
  called(as_result(found[c("table", "sentences", if (!is.null(agreement)) "n_rows")], "replication"))
}

#' @export
print.pyfsagg_replication <- function(x, ...) {
  writeLines(strwrap(x$sentences))
  if (!is.null(x$n_rows)) cat("Rows for the agreement wished for: ", format(x$n_rows), "\n", sep = "")
  invisible(x)
}
