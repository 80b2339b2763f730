#' Attach functions under the names of other packages
#'
#' Code written for stabm, praznik or FSelectorRcpp runs with functions of this package under their names, as
#' [stabilityJaccard()] and [MRMR()]; the help pages say what differs. They are attached on demand, since they would
#' otherwise hide those of the packages themselves.
#'
#' @param package `"stabm"`, `"praznik"` or `"FSelectorRcpp"`.
#' @return The names of the functions, invisibly; the place in the search path is called `pyfsaggr:` and the package.
#' @examples
#' attach_compatible("stabm")
#' if (pyfsagg_available()) stabilityJaccard(list(c("a", "b"), c("a", "c")))
#' detach("pyfsaggr:stabm")
#' @export
attach_compatible <- function(package) {
  package <- check_choice(package, "package", c("stabm", "praznik", "FSelectorRcpp"))
  place <- paste0("pyfsaggr:", package)
  names <- compatible_names(package)
  functions <- mget(names, envir = topenv())
  if (!place %in% search()) base::attach(functions, name = place, warn.conflicts = FALSE)
  invisible(names)
}

compatible_names <- function(package) {
  switch(package,
    stabm = c(names(STABM), "listStabilityMeasures", "plotFeatures"),
    praznik = names(PRAZNIK), FSelectorRcpp = c("information_gain", "cut_attrs")
  )
}
