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
  for (text in unlist(found$warnings)) {
    warning(structure(
      class = c("pyfsagg_warning", "warning", "condition"), list(message = text, call = NULL)
    ))
  }
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

# "DataError" -> "data"
snake <- function(class) {
  words <- sub("Error$", "", class)
  tolower(gsub("([a-z])([A-Z])", "\\1_\\2", words))
}

# An error of class pyfsagg_<kind>_error, pyfsagg_error.
stop_pyfsagg <- function(message, kind, call = NULL, ...) {
  stop(structure(
    class = c(paste0("pyfsagg_", kind, "_error"), "pyfsagg_error", "error", "condition"),
    list(message = message, call = call, ...)
  ))
}

# The arguments of a run: table, target, how it is run, and settings by their names. Which settings
# there are, and what they may be, is said in one place, by Python: see ?settings.
run_arguments <- function(x, y, seed, cores, progress, ..., checkpoint = NULL, target_name = "target") {
  settings <- list(...)
  if (length(settings) && (is.null(names(settings)) || !all(nzchar(names(settings))))) {
    stop_pyfsagg("settings are given by their names; see ?settings", "parameter")
  }
  c(
    list(
      table = table_parts(x), target = target_parts(y, target_name),
      seed = python_seed(seed, checkpoint), cores = cores,
      progress = progress_function(progress), checkpoint = folder_or_null(checkpoint)
    ),
    lapply(settings, plain_argument)
  )
}

plain_argument <- function(value) {
  if (is.factor(value)) return(as.character(value))
  if (is.list(value)) return(lapply(value, plain_argument))
  if (!is.function(value)) return(unname(value))
  # Python hands over arrays and lists, where the function expects vectors.
  function(x, y, weight) as.list(as.double(value(x, unlist(y), as.vector(weight))))
}

# A progress bar that Python can call, or NULL.
progress_function <- function(progress) {
  if (!isTRUE(progress)) {
    return(NULL)
  }
  bar <- NULL
  function(done, total) {
    if (is.null(bar)) {
      bar <<- utils::txtProgressBar(max = total, style = 3)
    }
    utils::setTxtProgressBar(bar, done)
    if (done >= total) close(bar)
    invisible(NULL)
  }
}

# set.seed() decides unless a seed is given.
python_seed <- function(seed, checkpoint = NULL) {
  # A checkpoint knows the seed with which it was begun.
  if (is.null(seed) && !is.null(checkpoint)) return(NULL)
  if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else as.integer(seed)
}

# A path that Python understands, or NULL.
folder_or_null <- function(path) if (!is.null(path)) path.expand(as.character(path))
