# Python is started at the first call and not before: library(pyfsaggr) costs nothing.
state <- new.env(parent = emptyenv())

bridge <- function() {
  if (is.null(state$module)) {
    state$module <- start_python()
  }
  state$module
}

start_python <- function() {
  chosen <- getOption("pyfsaggr.python", Sys.getenv("PYFSAGG_PYTHON"))
  if (nzchar(chosen) && !reticulate::py_available()) {
    reticulate::use_python(chosen, required = TRUE)
  }
  tryCatch(
    reticulate::import("pyfsagg.for_r", convert = TRUE),
    error = function(failure) {
      stop_pyfsagg(
        paste0(
          "the Python package pyfsagg cannot be reached (", first_line(conditionMessage(failure)),
          "); run install_pyfsagg(), or name a Python that has it by ",
          "options(pyfsaggr.python = \"path\") or the environment variable PYFSAGG_PYTHON ",
          "before anything else starts Python"
        ),
        "missing_dependency"
      )
    }
  )
}

first_line <- function(text) strsplit(trimws(text), "\n", fixed = TRUE)[[1]][1]

#' Is the Python package pyfsagg there?
#'
#' Starts Python if it is not running. Which Python is used: the option `pyfsaggr.python`, else the
#' environment variable `PYFSAGG_PYTHON`, else what reticulate finds (`RETICULATE_PYTHON`, a virtual
#' environment called `r-reticulate`, ...).
#'
#' @return `TRUE` or `FALSE`.
#' @examples
#' pyfsagg_available()
#' @export
pyfsagg_available <- function() {
  tryCatch({
    bridge()
    TRUE
  }, pyfsagg_error = function(failure) FALSE)
}

#' Install the Python package pyfsagg into a virtual environment
#'
#' Makes (or reuses) a virtual environment with reticulate and installs pyfsagg into it. Restart R
#' afterwards, and name the environment's Python by the option `pyfsaggr.python`, which the function
#' returns.
#'
#' @param source What `pip install` is given: a folder with a checkout of pyfsagg, a wheel, or the
#'   name of the package.
#' @param envname Name or path of the virtual environment.
#' @return The path of the Python of the environment, invisibly.
#' @examples
#' \dontrun{
#' python <- install_pyfsagg("path/to/pyfsagg")
#' options(pyfsaggr.python = python)
#' }
#' @export
install_pyfsagg <- function(source = "pyfsagg", envname = "r-pyfsagg") {
  if (!reticulate::virtualenv_exists(envname)) {
    reticulate::virtualenv_create(envname)
  }
  # reticulate before 1.40 needs a numpy older than 2
  older <- utils::packageVersion("reticulate") < "1.40"
  reticulate::virtualenv_install(envname, c(source, if (older) "numpy<2"), ignore_installed = FALSE)
  python <- reticulate::virtualenv_python(envname)
  message("Installed. Restart R and set options(pyfsaggr.python = \"", python, "\")")
  invisible(python)
}

# Do a task on the Python side: its warnings and errors become R conditions.
ask <- function(task, arguments, call = sys.call(-1)) {
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
