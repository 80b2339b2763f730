#' Stability of selections under the names of the package stabm
#'
#' Code written for stabm runs with these functions: names, arguments and values are the same, with `NA` where a
#' pair of selections has no value, such as a pair with an empty selection for some measures. Corrections for
#' chance are exact and never estimated by sampling; `stabilityDavis()` and `stabilityNovovicova()` have none, as
#' stabm corrects these in another way. stabm's measures that adjust for similar features, such as
#' `stabilityZucknick()`, are not here: see [stability()] with `similarity`.
#'
#' @param features List of selections: character vectors, or numbers of features.
#' @param p Number of features to choose from, for the measures that need it.
#' @param correction.for.chance `"none"`, or `"exact"`: 0 is then what random selections of the same sizes reach.
#' @param N Not used: the number of samples of an estimated correction.
#' @param impute.na What a pair counts that has no value; by default the result is `NA` if there is such a pair.
#' @param penalty Penalty of Davis for large selections.
#' @return One number.
#' @seealso [stability()] for intervals and ties
#' @name stabm
#' @examples
#' if (pyfsagg_available()) {
#'   stabilityNogueira(list(c("a", "b"), c("a", "c")), p = 5)
#' }
NULL

chance <- function(correction.for.chance, allowed = c("none", "exact")) {
  check_choice(correction.for.chance, "correction.for.chance", allowed)
}

of_sets <- function(features, measure, p, impute.na, ...) {
  without <- first_filled(impute.na, NA_real_)
  options <- if (...length()) list(...)
  tryCatch({
    found <- stability(features, measure, n_features = p, interval = NULL, measure_params = options)
    if (found$n_undefined == 0) return(found$value)
    if (is.na(without)) return(without)
    stability(
      features, measure, n_features = p, undefined = without, interval = NULL, measure_params = options
    )$value
  }, pyfsagg_undefined_stability_error = function(no_pair) without)
}

#' @rdname stabm
#' @export
stabilityDavis <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL, penalty = 0) {
  chance(correction.for.chance, "none")
  of_sets(features, "davis", p, impute.na, penalty = penalty)
}

#' @rdname stabm
#' @export
stabilityDice <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
  of_sets(features, "dice", p, impute.na, chance_correction = chance(correction.for.chance))
}

#' @rdname stabm
#' @export
stabilityHamming <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
  of_sets(features, "hamming", p, impute.na, chance_correction = chance(correction.for.chance))
}

#' @rdname stabm
#' @export
stabilityJaccard <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
  of_sets(features, "jaccard", p, impute.na, chance_correction = chance(correction.for.chance))
}

#' @rdname stabm
#' @export
stabilityKappa <- function(features, p = NULL, impute.na = NULL) of_sets(features, "kappa", p, impute.na)

#' @rdname stabm
#' @export
stabilityLustgarten <- function(features, p = NULL, impute.na = NULL) of_sets(features, "lustgarten", p, impute.na)

#' @rdname stabm
#' @export
stabilityNogueira <- function(features, p = NULL, impute.na = NULL) of_sets(features, "nogueira", p, impute.na)

#' @rdname stabm
#' @export
stabilityNovovicova <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
  chance(correction.for.chance, "none")
  of_sets(features, "novovicova", p, impute.na)
}

#' @rdname stabm
#' @export
stabilityOchiai <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
  of_sets(features, "ochiai", p, impute.na, chance_correction = chance(correction.for.chance))
}

#' @rdname stabm
#' @export
stabilityPhi <- function(features, p = NULL, impute.na = NULL) of_sets(features, "phi", p, impute.na)

#' @rdname stabm
#' @export
stabilitySomol <- function(features, p = NULL, impute.na = NULL) of_sets(features, "somol", p, impute.na)

#' @rdname stabm
#' @export
stabilityUnadjusted <- function(features, p = NULL, impute.na = NULL) of_sets(features, "unadjusted", p, impute.na)

#' @rdname stabm
#' @export
stabilityWald <- function(features, p = NULL, impute.na = NULL) of_sets(features, "wald", p, impute.na)
