# A reticulate from 1.41 on: says what it is told when pyfsaggr is loaded.
virtualenv_exists <- function(envname) nzchar(Sys.getenv("STANDIN_ENVIRONMENT"))
use_virtualenv <- function(virtualenv, required) cat("use_virtualenv", virtualenv, required, "")
py_require <- function(packages, python_version) cat("py_require", packages, python_version, "")
py_available <- function(...) FALSE
