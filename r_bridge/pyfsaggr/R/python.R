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
  if (is.character(found$ended)) stop(found$ended, call. = FALSE)
  if (found$ended) interrupt()
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
  if (is_time_limit(geterrmessage())) try(stop("of an earlier call"), silent = TRUE)
  module$enter()
  ended <- FALSE
  found <- tryCatch({
    allowInterrupts(look_for_interrupts()) # one that came before enter()
    module$answer(task, arguments)
  }, finally = ended <- module$leave())
  c(found, ended = ended)
}

# The time limit of setTimeLimit() that is reached, TRUE for an interrupt that came meanwhile, or NULL. Python asks
# for it while R waits; reticulate, which looks at R's events, may have met it before and dropped the error.
reached_limit <- function() {
  said <- tryCatch({
    for (i in 1:6) allowInterrupts(look_for_interrupts()) # R looks at its limits at every sixth event
    geterrmessage()
  }, error = conditionMessage, interrupt = function(condition) TRUE)
  found <- Filter(function(limit) grepl(limit, said, fixed = TRUE), time_limits())
  if (isTRUE(said)) TRUE else if (length(found)) found[1]
}

time_limits <- function() {
  gettext("reached elapsed time limit", "reached session elapsed time limit", "reached CPU time limit",
          "reached session CPU time limit", domain = "R")
}

is_time_limit <- function(said) any(vapply(time_limits(), grepl, NA, said, fixed = TRUE))

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
