domain <- function(check) function(..., special_vals = list()) {
  limits <- list(...)
  function(value) {
    any(vapply(special_vals, identical, NA, value)) || do.call(check, c(list(value), limits))
  }
}

p_int <- domain(function(value, lower, ...) {
  is.numeric(value) && length(value) == 1L && value == round(value) && value >= lower
})
p_lgl <- domain(function(value, ...) is.logical(value) && length(value) == 1L && !is.na(value))
p_uty <- domain(function(value, ...) TRUE)

ps <- function(...) ParamSet$new(list(...))

ParamSet <- R6::R6Class(
  "ParamSet",
  public = list(
    initialize = function(domains) private$domains <- domains,
    ids = function() names(private$domains)
  ),
  active = list(
    values = function(given) {
      if (missing(given)) return(private$given)
      for (name in names(given)) {
        if (!name %in% self$ids()) stop("no parameter ", name)
        if (!private$domains[[name]](given[[name]])) stop(name, " cannot be that")
      }
      private$given <- given
    }
  ),
  private = list(domains = NULL, given = list())
)
