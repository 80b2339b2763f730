# Where Python is, what is in it, and how it gets there.

ENVIRONMENT <- "r-pyfsagg"
OLDEST_PYTHON <- "3.11"
MAKES_PYTHON <- "1.41" # the first reticulate that makes an environment of its own, by uv
NUMPY_2 <- "1.39" # the first reticulate that works with numpy 2
# What an older reticulate needs; pip does not know that pyarrow 26 does not run on numpy 1.
NUMPY_1 <- c("numpy<2", "pyarrow<26")

# The checkout of pyfsagg that this package is installed from, known while it is installed; or NULL.
CHECKOUT <- local({
  above <- c("..", file.path("..", ".."), file.path("..", "..", ".."))
  found <- above[file.exists(file.path(above, "pyfsagg", "for_r"))]
  if (length(found)) normalizePath(found[1])
})

# Nothing starts here: reticulate is told where to look when Python is needed.
.onLoad <- function(libname, pkgname) {
  if (reticulate::virtualenv_exists(ENVIRONMENT)) {
    reticulate::use_virtualenv(ENVIRONMENT, required = FALSE)
  } else if (utils::packageVersion("reticulate") >= MAKES_PYTHON && !in_archive_check()) {
    declare <- getExportedValue("reticulate", "py_require")
    declare(requirement(default_source()), python_version = paste0(">=", OLDEST_PYTHON))
  }
  when_loaded("mlr3filters", add_mlr3_filters)
}

# Whether this is a check as package archives run it, in which nothing may be downloaded.
in_archive_check <- function() {
  nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_")) && !identical(Sys.getenv("NOT_CRAN"), "true")
}

# What pip installs by default: the wheel that came with this package, the checkout that it was
# installed from, or, by its name, what a package index has.
default_source <- function() {
  wheel <- list.files(system.file("python", package = "pyfsaggr"), "[.]whl$", full.names = TRUE)
  if (length(wheel)) return(wheel[1])
  if (!is.null(CHECKOUT) && dir.exists(CHECKOUT)) CHECKOUT else "pyfsagg"
}

# The same as a requirement, which may not be a bare path.
requirement <- function(source) {
  if (!file.exists(source)) return(source)
  path <- utils::URLencode(normalizePath(source, "/"))
  paste0("pyfsagg @ file://", if (!startsWith(path, "/")) "/", path) # a drive of Windows stands after three slashes
}

# asked: whether this is a question only, which downloads nothing.
start_python <- function(asked = FALSE) {
  if (!reticulate::py_available()) use_chosen_python(asked)
  # Matplotlib would write what it knows of fonts into the user's home.
  if (!nzchar(Sys.getenv("MPLCONFIGDIR"))) Sys.setenv(MPLCONFIGDIR = file.path(tempdir(), "matplotlib"))
  module <- tryCatch(
    suppressWarnings(reticulate::import("pyfsagg.for_r", convert = TRUE)),
    error = function(failure) stop_unreachable(first_line(conditionMessage(failure)))
  )
  found <- module$about()
  reason <- mismatch(found)
  # Ctrl-C in a terminal also ends the process that tells reticulate what a Python has.
  if (is.null(reason) && !reticulate::py_numpy_available()) {
    reason <- "an interrupt kept reticulate from seeing numpy"
  }
  if (!is.null(reason)) stop_unreachable(reason)
  # Workers hold what R prints to: they end with R.
  reg.finalizer(state, function(held) held$module$close(), onexit = TRUE)
  state$about <- found
  module$watch(reached_limit)
  module
}

# The Python named by the option or the environment variable, else the one that reticulate finds. What
# does not do is not started: a session has one Python, and another one would need a new session.
use_chosen_python <- function(asked) {
  chosen <- getOption("pyfsaggr.python", Sys.getenv("PYFSAGG_PYTHON"))
  if (!is.character(chosen) || length(chosen) != 1L || is.na(chosen)) {
    stop_unreachable("the option pyfsaggr.python must be one path or name of an environment")
  }
  if (!nzchar(chosen)) return(look_at_found(asked))
  python <- python_of(chosen)
  reason <- if (is.null(python)) "it is no Python and no virtual environment" else unusable(python)
  if (!is.null(reason)) {
    stop_unreachable(paste0(
      "'", chosen, "' is named by the option pyfsaggr.python or the environment variable PYFSAGG_PYTHON: ", reason
    ))
  }
  tryCatch(
    reticulate::use_python(python, required = TRUE),
    error = function(failure) stop_unreachable(first_line(conditionMessage(failure)))
  )
}

# Nothing is downloaded in a check of packages, nor by a question; a call for a result may do so.
look_at_found <- function(asked) {
  ours <- reticulate::virtualenv_exists(ENVIRONMENT)
  if (in_archive_check() && !ours) {
    stop_unreachable("no Python is named, and a check of packages must not download one")
  }
  named <- any(nzchar(Sys.getenv(c("RETICULATE_PYTHON", "RETICULATE_PYTHON_ENV", "VIRTUAL_ENV"))))
  if (utils::packageVersion("reticulate") >= MAKES_PYTHON && !ours && !named) {
    if (asked) {
      stop_unreachable(paste(
        "none is installed; the first call for a result makes one by uv, which downloads about 0.8 GB,",
        "and a question downloads nothing"
      ))
    }
    return(invisible())
  }
  found <- tryCatch(reticulate::py_discover_config("pyfsagg")$python, error = function(failure) NULL)
  reason <- if (!is.null(found)) unusable(found)
  if (!is.null(reason)) stop_unreachable(paste0(found, ": ", reason))
}

# Why a Python that is not running yet cannot be used, or NULL.
unusable <- function(python) {
  reason <- too_old(python)
  if (!is.null(reason)) return(reason)
  here <- ask_python(python, "import importlib.util as u; print(u.find_spec('pyfsagg') is not None)")
  if (!identical(here, "True")) "it has no pyfsagg"
}

# The Python of a path, of the folder of an environment, or of the name of one; or NULL.
python_of <- function(given) {
  path <- path.expand(given)
  inside <- file.path(path, c("bin/python", "bin/python3", "Scripts/python.exe", "python.exe"))
  if (dir.exists(path) && any(file.exists(inside))) return(inside[file.exists(inside)][1])
  if (file.exists(path) && !dir.exists(path)) return(path)
  if (!grepl("[/\\\\]", given) && reticulate::virtualenv_exists(given)) {
    return(reticulate::virtualenv_python(given))
  }
  NULL
}

# Why what was found does not do, or NULL.
mismatch <- function(found) {
  own <- as.character(utils::packageVersion("pyfsaggr"))
  same <- function(version) sub("^([0-9]+[.][0-9]+).*", "\\1", version)
  if (!identical(same(found$pyfsagg), same(own))) {
    return(paste0("pyfsaggr ", own, " needs the same version of pyfsagg, and ", found$executable,
                  " has ", found$pyfsagg))
  }
  reticulate <- utils::packageVersion("reticulate")
  if (reticulate < NUMPY_2 && numeric_version(sub("[^0-9.].*", "", found$numpy)) >= "2") {
    return(paste0("reticulate ", reticulate, " cannot work with the numpy ", found$numpy, " of ",
                  found$executable, ": update reticulate to ", NUMPY_2, " or later, or take numpy < 2"))
  }
  NULL
}

what_to_do <- function() {
  if (reticulate::py_available()) {
    paste0(
      "this session already runs ", reticulate::py_config()$python, ": restart R, name another by ",
      "options(pyfsaggr.python = \"path\") before anything starts Python, or run install_pyfsagg()"
    )
  } else {
    paste0(
      "run install_pyfsagg(), or name a Python that has it by options(pyfsaggr.python = \"path\") or ",
      "the environment variable PYFSAGG_PYTHON"
    )
  }
}

stop_unreachable <- function(reason) {
  remedy <- what_to_do()
  stop_pyfsagg(
    paste0("the Python package pyfsagg cannot be reached (", reason, "); ", remedy),
    "missing_dependency", reason = reason
  )
}

first_line <- function(text) {
  sub("[.]+$", "", strsplit(paste0(trimws(text), "\n"), "\n", fixed = TRUE)[[1]][1])
}

#' Is the Python package pyfsagg available?
#'
#' `pyfsagg_available()` starts Python if it is not running, and tests whether it can be used; it never
#' fails, installs nothing and downloads nothing. `pyfsagg_sitrep()` shows which Python is used, its versions, and,
#' if it cannot be used, the reason and a remedy; a Python without pyfsagg is not started.
#'
#' @section Which Python is used:
#' - That of the option `pyfsaggr.python` or the environment variable `PYFSAGG_PYTHON`: a path, or the folder or
#'   name of a virtual environment, also one that was made by `uv venv` and filled by `uv pip install`.
#' - The environment `r-pyfsagg` of [install_pyfsagg()].
#' - The one that reticulate finds, for example by `RETICULATE_PYTHON`.
#' - From version 1.41 on, reticulate makes one by uv where there is none, with what pyfsaggr asks of
#'   `reticulate::py_require()`: the first call for a result then downloads Python, pyfsagg and what they need, about
#'   0.8 GB, and later sessions find it there. Until such a call `pyfsagg_available()` is `FALSE`.
#'
#' In a check as package archives run it nothing is downloaded by any call.
#'
#' @return `pyfsagg_available()`: `TRUE` or `FALSE`. `pyfsagg_sitrep()`: a list with `usable`,
#'   `versions`, `python`, `reason` and `remedy`, invisibly.
#' @examples
#' pyfsagg_available()
#' pyfsagg_sitrep()
#' @export
pyfsagg_available <- function() {
  tryCatch({
    bridge(asked = TRUE)
    TRUE
  }, error = function(failure) FALSE)
}

#' @rdname pyfsagg_available
#' @export
pyfsagg_sitrep <- function() {
  failure <- tryCatch({
    bridge(asked = TRUE)
    NULL
  }, error = identity)
  found <- list(
    usable = is.null(failure),
    versions = c(
      list(pyfsaggr = as.character(utils::packageVersion("pyfsaggr")), R = as.character(getRversion()),
           reticulate = as.character(utils::packageVersion("reticulate"))),
      if (is.null(failure)) state$about[c("pyfsagg", "python", "numpy")]
    ),
    python = if (reticulate::py_available()) reticulate::py_config()$python,
    reason = if (!is.null(failure)) first_filled(failure$reason, first_line(conditionMessage(failure))),
    remedy = if (!is.null(failure)) what_to_do()
  )
  cat(paste(names(found$versions), unlist(found$versions), collapse = ", "), "\n", sep = "")
  cat("Python: ", first_filled(found$python, "none is running"), "\n", sep = "")
  said <- if (found$usable) "pyfsagg can be used." else {
    c(paste0("pyfsagg cannot be used: ", found$reason, "."), paste0("What to do: ", found$remedy, "."))
  }
  writeLines(strwrap(said, exdent = 2))
  invisible(found)
}

first_filled <- function(given, otherwise) if (is.null(given)) otherwise else given

#' Install the Python package pyfsagg into a virtual environment
#'
#' Creates a virtual environment and installs pyfsagg into it. A new session finds the environment
#' `r-pyfsagg` without any settings, and so does this one if it has not started Python yet.
#'
#' @param source Argument of `pip install`: a folder with a checkout of pyfsagg, a wheel, or a name
#'   with or without a version, such as `"pyfsagg==0.2.0"`, for a package index. By default the wheel
#'   that came with pyfsaggr, else the checkout that it was installed from, else the index. The
#'   dependencies (numpy, pandas, ...) always come from the index.
#' @param python Path of the Python of the environment, 3.11 or later; by default the first suitable
#'   one.
#' @param envname Name or path of the virtual environment.
#' @param force Whether an existing environment is replaced. One that does not work, or whose
#'   Python is too old, is always replaced; otherwise it is updated.
#' @return The path of the Python of the environment, invisibly.
#' @seealso [pyfsagg_sitrep()]
#' @examples
#' \dontrun{
#' install_pyfsagg()
#' install_pyfsagg("path/to/pyfsagg", python = "/usr/bin/python3.12")
#' }
#' @export
install_pyfsagg <- function(source = NULL, python = NULL, envname = "r-pyfsagg", force = FALSE) {
  check_flag(force, "force")
  source <- install_source(source)
  python <- starter(python)
  made <- make_environment(envname, python, force)
  message("Installing pyfsagg from ", source, " into ", environment_folder(envname), " ...")
  older <- utils::packageVersion("reticulate") < NUMPY_2
  inside <- tryCatch({
    reticulate::virtualenv_install(envname, c(source, if (older) NUMPY_1), ignore_installed = FALSE)
    path <- python_of(envname)
    list(python = path, version = ask_python(path, "import pyfsagg; print(pyfsagg.__version__)"))
  }, error = function(failure) {
    if (made) unlink(environment_folder(envname), recursive = TRUE)
    stop_pyfsagg(
      paste0("pip could not install ", source, " (", first_line(conditionMessage(failure)), "); ",
             if (identical(source, "pyfsagg")) {
               "no package index offers it: give a checkout or a wheel as source"
             } else {
               "its output above says why"
             }),
      "missing_dependency"
    )
  })
  message("pyfsagg ", inside$version, " is installed. ", after_installation(envname, inside$python))
  invisible(inside$python)
}

after_installation <- function(envname, python) {
  named <- identical(envname, ENVIRONMENT)
  if (!reticulate::py_available()) options(pyfsaggr.python = python)
  paste0(
    if (reticulate::py_available()) "Restart R to use it" else "It can be used now",
    if (!named) paste0("; other sessions find it by options(pyfsaggr.python = \"", envname, "\")"), "."
  )
}

install_source <- function(source) {
  if (is.null(source)) return(default_source())
  check_string(source, "source")
  path <- path.expand(source)
  if (!grepl("[/\\\\]|[.]whl$", source) && !file.exists(path)) return(source)
  if (!file.exists(path)) {
    stop_pyfsagg(paste0("source: there is no file or folder '", source, "'"), "parameter")
  }
  if (dir.exists(path) && !file.exists(file.path(path, "pyproject.toml"))) {
    stop_pyfsagg(
      paste0("source: the folder '", source, "' is no checkout of pyfsagg, it has no pyproject.toml"),
      "parameter"
    )
  }
  normalizePath(path)
}

# A Python that can make the environment: the one given, or the first that will do.
starter <- function(python) {
  if (!is.null(python)) {
    check_string(python, "python")
    path <- path.expand(python)
    reason <- if (nzchar(Sys.which(path))) unfit(path) else "there is no such program"
    if (!is.null(reason)) {
      stop_pyfsagg(paste0("python = \"", python, "\" will not do: ", reason), "parameter")
    }
    return(path)
  }
  folders <- strsplit(Sys.getenv("PATH"), .Platform$path.sep, fixed = TRUE)[[1]]
  programs <- c("python3", paste0("python3.", 20:11), "python", "python3.exe", "python.exe")
  named <- c(Sys.getenv("RETICULATE_PYTHON"), as.vector(t(outer(folders, programs, file.path))))
  named <- unique(named[file.exists(named) & !dir.exists(named)])
  reasons <- character()
  for (path in named) {
    reason <- unfit(path)
    if (is.null(reason)) return(path)
    reasons <- c(reasons, paste0(path, ": ", reason))
  }
  stop_pyfsagg(
    paste0(
      "pyfsagg needs Python ", OLDEST_PYTHON, " or later, and none was found",
      if (length(reasons)) paste0(" (", paste(reasons, collapse = "; "), ")"),
      "; install one and give its path as python, for example after reticulate::install_python()"
    ),
    "missing_dependency"
  )
}

# Why a Python cannot run pyfsagg, or NULL.
too_old <- function(python) {
  version <- ask_python(python, "import sys; print('%d.%d' % sys.version_info[:2])")
  if (is.null(version) || !grepl("^[0-9]+[.][0-9]+$", version)) return("it does not start")
  if (numeric_version(version) < OLDEST_PYTHON) {
    paste0("it is Python ", version, ", and pyfsagg needs ", OLDEST_PYTHON, " or later")
  }
}

# Why it cannot make an environment, or NULL.
unfit <- function(python) {
  reason <- too_old(python)
  if (!is.null(reason)) return(reason)
  if (is.null(ask_python(python, "import ssl, venv, ensurepip; print(1)"))) {
    return("it has no ssl, venv or ensurepip (on Debian and Ubuntu: install python3-venv)")
  }
  NULL
}

# The line that a short program prints, or NULL if it fails.
ask_python <- function(python, code) {
  said <- suppressWarnings(tryCatch(
    system2(python, c("-c", shQuote(code)), stdout = TRUE, stderr = FALSE), error = function(e) NULL
  ))
  if (length(said) && is.null(attr(said, "status"))) said[length(said)] else NULL
}

# Make the environment unless a good one is there; whether it was made.
make_environment <- function(envname, python, force) {
  check_string(envname, "envname")
  folder <- environment_folder(envname)
  if (file.exists(folder)) {
    if (!file.exists(file.path(folder, "pyvenv.cfg")) && length(list.files(folder))) {
      stop_pyfsagg(paste0("envname: ", folder, " is there and is no virtual environment"), "parameter")
    }
    inside <- python_of(folder)
    reason <- if (force) "force = TRUE" else if (is.null(inside)) "it has no Python" else unfit(inside)
    if (is.null(reason) && is.null(ask_python(inside, "import pip; print(1)"))) reason <- "it has no pip"
    if (is.null(reason)) return(FALSE)
    message("Making ", folder, " anew: ", reason)
    unlink(folder, recursive = TRUE)
  }
  tryCatch(
    reticulate::virtualenv_create(envname, python = python, packages = FALSE),
    error = function(failure) {
      unlink(folder, recursive = TRUE)
      stop_pyfsagg(
        paste0("no virtual environment could be made in ", folder, " (",
               first_line(conditionMessage(failure)), ")"),
        "missing_dependency"
      )
    }
  )
  TRUE
}

environment_folder <- function(envname) {
  if (grepl("[/\\\\]", envname)) path.expand(envname) else file.path(reticulate::virtualenv_root(), envname)
}
