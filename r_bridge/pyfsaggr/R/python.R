# Python is started at the first call and not before: library(pyfsaggr) costs nothing.
state <- new.env(parent = emptyenv())

bridge <- function() {
  if (is.null(state$module)) {
    state$module <- start_python()
  }
  state$module
}

# Do a task on the Python side: its warnings and errors become R conditions.
ask <- function(task, arguments, call = sys.call(-1)) {
  force(arguments) # what R can refuse, it refuses before Python starts
  found <- bridge()$answer(task, arguments)
  if (isTRUE(found$interrupt)) interrupt()
  for (text in unlist(found$warnings)) warn_pyfsagg(text)
  if (!is.null(found$error)) {
    failure <- found$error
    if (identical(failure$class, "internal")) {
      stop_pyfsagg(
        paste0("pyfsagg failed, which is a defect of it (", failure$message, ")"),
        "internal", call = NULL, traceback = failure$traceback
      )
    }
    stop_pyfsagg(failure$message, snake(failure$class), call = NULL)
  }
  found$value
}

# What Ctrl-C is in R: a condition that tryCatch() can catch, and the end of the call if it is not.
interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  if (!interactive()) stop("interrupted", call. = FALSE)
  invokeRestart("abort")
}

# "DataError" -> "data"
snake <- function(class) {
  words <- sub("Error$", "", class)
  tolower(gsub("([a-z])([A-Z])", "\\1_\\2", words))
}

warn_pyfsagg <- function(message) {
  warning(structure(
    class = c("pyfsagg_warning", "warning", "condition"), list(message = message, call = NULL)
  ))
}

# An error of class pyfsagg_<kind>_error, pyfsagg_error.
stop_pyfsagg <- function(message, kind, call = NULL, ...) {
  stop(structure(
    class = c(paste0("pyfsagg_", kind, "_error"), "pyfsagg_error", "error", "condition"),
    list(message = message, call = call, ...)
  ))
}
