#' Reproduce published results
#'
#' `reproduce()` calls a function of the Python package `pyfsagg_papers` by its name, with its arguments; the
#' documentation of the package describes them. `cross_check()` computes the same quantities with pyfsagg and with
#' R packages, in a separate process, and reports the differences.
#'
#' @param what `"list_shipped_runs"`, `"shipped_run"`, `"shipped_calibration"`, `"claims"`, `"table"`, `"cells"`,
#'   `"coverage"`, `"calibrate"`, `"gene_lists"`, `"readings"`, ...; an error for an unknown name lists the
#'   available ones.
#' @param ... Its arguments, such as `table = "4.4", dataset = "ionosphere", quick = TRUE`; `seed` and `cores` as
#'   in [wam()].
#' @param package Names of R packages; by default all supported ones that are installed.
#' @param data A data frame, a file, or the name of a data set; by default data that come with pyfsagg.
#' @param target The column of `data` with the classes.
#' @param exclude Columns to drop.
#' @param n_resamples Resamples of each table.
#' @param seed A whole number.
#' @param output A folder for the comparison and its page.
#' @return A data frame, or a list with its `table` ([answers]). Runs print their conclusions first, and can be given to
#'   [write_result()] and [write_report()].
#' @examples
#' if (pyfsagg_available()) {
#'   head(reproduce("list_shipped_runs"))
#' }
#' \dontrun{
#' cross_check("RobustRankAggreg", data = iris, target = "Species") # needs the Python package rpy2
#' }
#' @export
reproduce <- function(what, ...) {
  given <- list(...)
  if (length(given) && (is.null(names(given)) || !all(nzchar(names(given))))) {
    stop_pyfsagg("an argument too many is given without its name", "parameter")
  }
  read <- lapply(stats::setNames(nm = names(given)), function(name) read_argument(given[[name]], name, 0, given))
  as_r(ask("call_package", list(
    package = "pyfsagg_papers", what = check_string(what, "what"), arguments = read[!vapply(read, is.null, NA)]
  )))
}

#' @rdname reproduce
#' @export
cross_check <- function(package = NULL, data = NULL, target = NULL, exclude = NULL, n_resamples = 10, seed = 0,
                        output = NULL) {
  if (is.data.frame(data)) {
    file <- tempfile(fileext = ".csv")
    on.exit(unlink(file))
    utils::write.csv(data, file, row.names = FALSE)
    data <- file
  }
  words <- function(value, name) if (!is.null(value)) check_words(value, name)
  as_r(ask("cross_check", list(
    package = words(package, "package"), data = if (!is.null(data)) check_string(data, "data"),
    target = if (!is.null(target)) check_string(target, "target"), exclude = words(exclude, "exclude"),
    n_resamples = check_count(n_resamples, "n_resamples"), seed = check_count(seed, "seed", low = 0),
    output = if (!is.null(output)) folder_setting(output, "output")
  )))
}
