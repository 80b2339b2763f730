#' Select features by an ensemble in a recipe
#'
#' A step for the package recipes: `prep()` ranks the selected columns by [wam()] (one filter) or [bam()]
#' (several) against the outcome, `bake()` keeps the best. Columns outside the selectors are kept. Case
#' weights must be whole numbers: those of `hardhat::frequency_weights()` are `counts`, others `weights` ([settings]). A
#' number as the outcome is a regression, which needs a filter for numbers. One column, or none, is kept as it is.
#'
#' @param recipe A recipe.
#' @param ... Selectors of columns, such as `all_predictors()`.
#' @param outcome Name of the outcome; by default the only one of the recipe.
#' @param filter One name, or several for [bam()].
#' @param top Number of features to keep, a whole number (all, if there are fewer) or a share below 1.
#' @param n_resamples,seed As in [wam()].
#' @param options Named list of further arguments of [wam()] or [bam()].
#' @param role,trained,skip,id,removals,ranking As in every step; not to be given.
#' @return The recipe with the step. `tidy()` of it gives the ranking.
#' @examples
#' if (pyfsagg_available() && requireNamespace("recipes", quietly = TRUE)) {
#'   recipe <- recipes::recipe(Species ~ ., iris)
#'   recipe <- step_select_ensemble(recipe, recipes::all_predictors(), top = 2,
#'                                  n_resamples = 20, seed = 1)
#'   names(recipes::bake(recipes::prep(recipe), NULL))
#' }
#' @export
step_select_ensemble <- function(recipe, ..., outcome = NULL, filter = "information_gain", top = 0.25,
                                 n_resamples = 100, seed = NULL, options = list(), role = NA,
                                 trained = FALSE, removals = NULL, ranking = NULL, skip = FALSE,
                                 id = recipes::rand_id("select_ensemble")) {
  recipes::add_step(recipe, ensemble_step(
    terms = rlang::enquos(...),
    outcome = outcome, filter = filter, top = top, n_resamples = n_resamples, seed = seed,
    options = options, role = role, trained = trained, removals = removals, ranking = ranking,
    skip = skip, id = id
  ))
}

ensemble_step <- function(...) recipes::step(subclass = "select_ensemble", ...)

#' @exportS3Method recipes::prep
prep.step_select_ensemble <- function(x, training, info = NULL, ...) {
  names <- unname(recipes::recipes_eval_select(x$terms, training, info))
  outcome <- x$outcome
  if (is.null(outcome)) outcome <- info$variable[info$role %in% "outcome"]
  if (length(outcome) != 1L) {
    stop_pyfsagg("step_select_ensemble() needs one outcome; name it by outcome =", "parameter")
  }
  run <- if (length(x$filter) > 1L) bam.default else wam.default
  options <- x$options
  weights <- info$variable[info$role %in% "case_weights"]
  if (length(weights) && is.null(options$weights) && is.null(options$counts)) {
    options <- c(options, case_weights(training[[weights]]))
  }
  if (is.numeric(training[[outcome]]) && is.null(options$task)) options$task <- "regression"
  x$removals <- character()
  x$ranking <- data.frame(feature = names, rank = seq_along(names), score = rep(NA_real_, length(names)))
  if (length(names) > 1L) {
    method <- c(list(as.data.frame(training[names]), training[[outcome]], x$filter), options)
    result <- do.call(run, c(method, list(n_resamples = x$n_resamples, seed = x$seed, progress = FALSE)))
    # As in other steps, more than there are is all of them.
    top <- if (is_number(x$top) && x$top > length(names)) length(names) else x$top
    x$removals <- setdiff(names, selected(result, top))
    x$ranking <- result$ranking
  }
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.step_select_ensemble <- function(object, new_data, ...) {
  new_data[setdiff(names(new_data), object$removals)]
}

#' @export
print.step_select_ensemble <- function(x, width = max(20, options()$width - 36), ...) {
  cat("Selection by an ensemble (", paste(x$filter, collapse = ", "), ")", sep = "")
  if (x$trained) cat(": ", length(x$removals), " columns removed", sep = "")
  cat("\n")
  invisible(x)
}

#' @exportS3Method generics::tidy
tidy.step_select_ensemble <- function(x, ...) {
  terms <- if (x$trained) x$ranking$feature else recipes::sel2char(x$terms)
  found <- data.frame(terms = terms, id = x$id)
  if (x$trained) {
    found$rank <- x$ranking$rank
    found$score <- x$ranking$score
    found$kept <- !terms %in% x$removals
  }
  as_tidy(found)
}

#' @exportS3Method generics::tunable
tunable.step_select_ensemble <- function(x, ...) {
  tibble::tibble(
    name = "top", call_info = list(list(pkg = "dials", fun = "num_terms")), source = "recipe",
    component = "step_select_ensemble", component_id = x$id
  )
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_select_ensemble <- function(x, ...) "pyfsaggr"
