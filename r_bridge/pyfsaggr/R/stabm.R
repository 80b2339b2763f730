#' Stability of selections under the names of the package stabm
#'
#' Code written for stabm runs without changes: names, first arguments and values are the same, but
#' there is no correction for chance by sampling.
#'
#' @param features List of selections: character vectors, or numbers of features.
#' @param p Number of features to choose from, for the measures that need it.
#' @return One number.
#' @seealso [stability()] for intervals and ties
#' @name stabm
#' @examples
#' if (pyfsagg_available()) {
#'   stabilityNogueira(list(c("a", "b"), c("a", "c")), p = 5)
#' }
NULL

of_sets <- function(features, measure, p) {
  stability.default(features, measure, n_features = p, interval = NULL)$value
}

#' @rdname stabm
#' @export
stabilityDavis <- function(features, p = NULL) of_sets(features, "davis", p)

#' @rdname stabm
#' @export
stabilityDice <- function(features, p = NULL) of_sets(features, "dice", p)

#' @rdname stabm
#' @export
stabilityHamming <- function(features, p = NULL) of_sets(features, "hamming", p)

#' @rdname stabm
#' @export
stabilityJaccard <- function(features, p = NULL) of_sets(features, "jaccard", p)

#' @rdname stabm
#' @export
stabilityKappa <- function(features, p = NULL) of_sets(features, "kappa", p)

#' @rdname stabm
#' @export
stabilityLustgarten <- function(features, p = NULL) of_sets(features, "lustgarten", p)

#' @rdname stabm
#' @export
stabilityNogueira <- function(features, p = NULL) of_sets(features, "nogueira", p)

#' @rdname stabm
#' @export
stabilityNovovicova <- function(features, p = NULL) of_sets(features, "novovicova", p)

#' @rdname stabm
#' @export
stabilityOchiai <- function(features, p = NULL) of_sets(features, "ochiai", p)

#' @rdname stabm
#' @export
stabilityPhi <- function(features, p = NULL) of_sets(features, "phi", p)

#' @rdname stabm
#' @export
stabilitySomol <- function(features, p = NULL) of_sets(features, "somol", p)

#' @rdname stabm
#' @export
stabilityUnadjusted <- function(features, p = NULL) of_sets(features, "unadjusted", p)

#' @rdname stabm
#' @export
stabilityWald <- function(features, p = NULL) of_sets(features, "wald", p)
