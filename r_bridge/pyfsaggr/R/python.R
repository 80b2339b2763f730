# Python is started at the first call and not before: library(pyfsaggr) costs nothing.
state <- new.env(parent = emptyenv())

bridge <- function(asked = FALSE) {
  if (is.null(state$module)) {
    state$module <- suspendInterrupts(tryCatch(start_python(asked), error = function(failure) {
      allowInterrupts(look_for_interrupts()) # which also ends the processes that look for Python
      stop(failure)
    }))
  }
  state$module
}

# Do a task on the Python side: its warnings and errors become R conditions.
ask <- function(task, arguments, call = sys.call(-1)) {
  force(arguments) # what R can refuse, it refuses before Python starts
  found <- suspendInterrupts(visit(bridge(), task, arguments))
  if (found$interrupted) interrupt()
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

# R leaves C++ and Python's code by a jump, which breaks them. Interrupts are therefore suspended in R from
# before Python is asked until its answer is here, and Python meets them (pyfsagg/for_r/_interrupts.py).
visit <- function(module, task, arguments) {
  module$enter()
  interrupted <- FALSE
  found <- tryCatch({
    allowInterrupts(look_for_interrupts()) # one that came before enter()
    module$answer(task, arguments)
  }, finally = interrupted <- module$leave())
  c(found, interrupted = interrupted)
}

look_for_interrupts <- function() Sys.sleep(0)

# What Ctrl-C is in R: a condition that tryCatch() can catch, and the end of the call if it is not.
interrupt <- function() {
  look_for_interrupts() # R may have been told of the same one, and then signals it itself
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
