#' Data sets and published tables
#'
#' `load_dataset()` loads a data set by its name: embedded in pyfsagg, shipped with scikit-learn, from the
#' folder that the environment variable `PYFSAGG_DATA` names, or, if `download` says so, from OpenML.
#' `load_published()` gives a table of one of the papers as it is printed. `read_feature_table()` reads a table
#' from a file of nearly any kind: delimited text, Parquet, Feather, ARFF or a sheet of a workbook,
#' packed or not.
#'
#' @param name One of the names of `list_methods("datasets")`.
#' @param download Whether a data set of the thesis that is not here may be fetched from OpenML.
#' @param cache A folder for downloads.
#' @param sha256 What a download must contain; see `source` of the result.
#' @param table For instance `"4.4"`; a name that is not known is answered by the list of those that are.
#' @param source A file.
#' @param ... How it is read: `sep`, `decimal`, `encoding`, `sheet`, `missing` (words or numbers that
#'   mean missing), `transpose` (rows are features), `labels` (a second file for the same samples), `drop`, `id`.
#' @return `load_dataset()` returns a list with `x`, a data frame (or a sparse matrix of the package Matrix), the
#'   factor `y`, `name`, `source` and `differences` from what the papers print of it; the others return data frames.
#' @name datasets
#' @examples
#' if (pyfsagg_available()) {
#'   list_methods("datasets")
#'   wine <- load_dataset("wine")
#'   table(wine$y)
#'   head(load_published("4.4"))
#'   file <- tempfile(fileext = ".csv")
#'   write.csv(iris, file, row.names = FALSE)
#'   head(read_feature_table(file, drop = "Species"))
#' }
NULL

dataset_of <- function(found) {
  labels <- unname(found$y)
  list(
    x = found$X, y = if (is.factor(labels)) labels else factor(labels, sort(unique(labels), method = "radix")),
    name = found$name, source = found$source, differences = as.character(found$differences)
  )
}

#' @rdname datasets
#' @export
load_published <- function(table) reproduce("load_published", table = table)

#' @rdname datasets
#' @export
read_feature_table <- function(source, ...) {
  source <- path.expand(check_string(source, "source"))
  call_python("read_feature_table", more = list(...))
}
