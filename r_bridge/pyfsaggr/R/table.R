#' Check a table before a run
#'
#' Identifiers, row numbers, features that equal the target, classes that differ only by case or blanks,
#' classes of one to three samples, codes such as -999, constant, mostly missing and duplicate columns,
#' duplicate rows. Ensembles do not check this.
#'
#' @param x Data frame or matrix with one row per sample.
#' @param y Classes (factor, text), numbers or a `Surv` of the package survival; may be omitted.
#' @param task `"classification"`, `"regression"` or, for a `Surv` always, `"survival"`.
#' @return A data frame of class `pyfsagg_check` with one row per finding: `code`, `severity` (`"stop"` if
#'   a ranking would be misleading, or `"warning"`), `columns`, `sentence` and `remedy`; size, types, missing
#'   cells and classes are its attribute `facts`.
#' @examples
#' if (pyfsagg_available()) {
#'   check_table(cbind(iris[-5], row = 1:150), iris$Species)
#' }
#' @export
check_table <- function(x, y = NULL, task = "classification") {
  task <- if (inherits(y, "Surv")) "survival" else check_choice(task, "task", TASKS)
  found <- ask("check_table", list(
    table = table_parts(x), target = target_parts(y, task = task), task = task
  ))
  called(as_result(as_frame(found$findings), "check", facts = as.character(unlist(found$facts))))
}

#' @export
print.pyfsagg_check <- function(x, n = nrow(x), ...) {
  cat(attr(x, "facts"), sep = "\n")
  x <- utils::head(as.data.frame(x), n)
  if (nrow(x)) {
    cat(paste0(x$severity, ": [", x$code, "] ", x$sentence, "; ", x$remedy), sep = "\n")
  } else {
    cat("no problems found\n")
  }
  invisible(x)
}
