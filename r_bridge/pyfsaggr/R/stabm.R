#' Stability of selections under the names of the package stabm
#'
#' Code written for stabm 1.2.2 runs with these functions, after `attach_compatible("stabm")`: names, arguments and
#' values are the same, with `NA` where a
#' pair of selections has no value, such as a pair with an empty selection for some measures. stabm's own tests pass
#' with them, but for one that reads the text of an error of `plotFeatures()`.
#'
#' What differs: an estimated correction for chance is exact wherever that costs little, which is everywhere but in the
#' four `stabilityIntersection...()`; `plotFeatures()` draws no trees and needs ggplot2 alone; no package for matchings
#' is needed.
#'
#' @param features List of selections: character vectors, or numbers of features.
#' @param p Number of features to choose from, for the measures that need it.
#' @param sim.mat Matrix of similarities from 0 to 1, features by features, also of the package Matrix; its columns are
#'   named where the selections have names.
#' @param threshold From which similarity on features stand in for each other.
#' @param correction.for.chance `"none"`, `"exact"` or `"estimate"`: 0 is then what random selections of the same sizes
#'   reach.
#' @param N How many random selections an estimate draws, by `set.seed()`.
#' @param impute.na What a pair counts that has no value; by default the result is `NA` if there is such a pair.
#' @param penalty Penalty of Davis for large selections.
#' @return One number; `listStabilityMeasures()` a data frame, `plotFeatures()` a ggplot of what each selection has,
#'   similar selections and similar features side by side.
#' @seealso [stability()] for intervals and ties, [attach_compatible()]
#' @name stabm
#' @eval c(paste("@aliases", paste(names(STABM), collapse = " ")),
#'   paste("@usage", paste0(names(STABM), vapply(STABM, arguments_of, ""), collapse = "\n\n")))
#' @examples
#' if (pyfsagg_available()) {
#'   attach_compatible("stabm")
#'   sets <- list(c("a", "b"), c("a", "c"), "a")
#'   stabilityNogueira(sets, p = 5)
#'   stabilityDavis(sets, p = 5, penalty = 1)
#'   similar <- structure(diag(3), dimnames = list(letters[1:3], letters[1:3]))
#'   similar["b", "c"] <- similar["c", "b"] <- 0.95
#'   stabilityYu(sets, similar)
#'   of_names <- function(names) vapply(names, function(name) {
#'     f <- get(name)
#'     if ("sim.mat" %in% names(formals(f))) f(sets, similar) else f(sets, 3)
#'   }, 0)
#'   of_names(listStabilityMeasures()$Name)
#'   if (requireNamespace("ggplot2", quietly = TRUE)) print(plotFeatures(sets))
#'   detach("pyfsaggr:stabm")
#' }
NULL

of_sets <- function(features, measure, p, impute.na, ..., similarity = NULL) {
  without <- first_filled(impute.na, NA_real_)
  options <- if (...length()) list(...)
  value <- function(undefined = NULL) {
    stability(features, measure, n_features = p, similarity = similarity, undefined = undefined, interval = NULL,
              measure_params = options)
  }
  tryCatch({
    found <- value()
    if (found$n_undefined == 0) found$value else if (is.na(without)) without else value(without)$value
  }, pyfsagg_undefined_stability_error = function(no_pair) without)
}

CORRECTIONS <- c("none", "exact", "estimate")

# The kinds of functions of stabm, by their arguments: measures that are corrected by themselves, that may be
# corrected, and that look at similar features. What is the same for all pairs has no correction in Python that
# stabm has: it is the value of all selections against what two random ones of the sizes of each pair reach.
of_measure <- function(measure) {
  force(measure)
  function(features, p, impute.na = NULL) of_sets(features, measure, p, impute.na)
}

of_correctable <- function(measure, needs_p = FALSE) {
  force(measure)
  made <- function(features, p = NULL, correction.for.chance = "none", N = 10000, impute.na = NULL) {
    correction <- check_choice(correction.for.chance, "correction.for.chance", CORRECTIONS)
    if (measure == "novovicova") {
      value <- of_sets(features, measure, p, impute.na)
      return(against_pairs(value, features, correction, impute.na, 1, function(a, b) 2 * a * b / p / (a + b)))
    }
    of_sets(features, measure, p, impute.na, chance_correction = if (correction == "none") "none" else "exact")
  }
  if (needs_p) formals(made)["p"] <- alist(p = )
  made
}

of_similar <- function(measure, default = "estimate") {
  force(measure)
  made <- function(features, sim.mat, threshold = 0.9, correction.for.chance = "estimate", N = 10000,
                   impute.na = NULL) {
    sim.mat <- named_similarity(sim.mat)
    correction <- check_choice(correction.for.chance, "correction.for.chance", CORRECTIONS)
    if (measure == "yu" && ncol(sim.mat) > 1L && !any(sim.mat[row(sim.mat) != col(sim.mat)] >= threshold)) {
      # stabm then takes the measure without similarities, whose maximum is another mean of the sizes.
      if (correction != "none") return(of_sets(features, "unadjusted", ncol(sim.mat), impute.na))
      return(mean(utils::combn(features, 2L, function(two) length(intersect(two[[1]], two[[2]])))))
    }
    options <- list(threshold = threshold, chance_correction = correction)
    if (measure %in% c("yu", "zucknick")) {
      if (correction == "estimate") options$chance_correction <- "exact"
    } else if (correction == "estimate") {
      options$n_random <- check_count(N, "N")
    }
    do.call(of_sets, c(list(features, measure, ncol(sim.mat), impute.na, similarity = sim.mat), options))
  }
  formals(made)$correction.for.chance <- default
  made
}

against_pairs <- function(value, features, correction, impute.na, maximum, expected) {
  if (correction == "none" || is.na(value)) return(value)
  pairs <- utils::combn(lengths(features), 2L)
  level <- mapply(expected, pairs[1, ], pairs[2, ])
  corrected <- (value - level) / (maximum - level)
  mean(replace(corrected, is.nan(corrected), first_filled(impute.na, NA_real_)))
}

named_similarity <- function(sim.mat) {
  sim.mat <- as.matrix(sim.mat)
  rownames(sim.mat) <- colnames(sim.mat)
  sim.mat
}

# Davis, which has a penalty besides.
of_davis <- function(features, p, correction.for.chance = "none", N = 10000, impute.na = NULL, penalty = 0) {
  correction <- check_choice(correction.for.chance, "correction.for.chance", CORRECTIONS)
  value <- of_sets(features, "davis", p, impute.na, penalty = penalty)
  m <- length(features)
  against_pairs(value, features, correction, impute.na, max(1 - penalty / p, (m - 1) %/% 2 / m), function(a, b) {
    shared <- 0:min(a, b)
    sum(stats::dhyper(shared, a, p - a, b) * pmax(0, (a + b) / 2 / (a + b - shared) - penalty * (a + b) / 2 / p))
  })
}

of_sechidis <- function(features, sim.mat, threshold = 0.9, impute.na = NULL) {
  sim.mat <- named_similarity(sim.mat)
  of_sets(features, "sechidis", ncol(sim.mat), impute.na, threshold = threshold, similarity = sim.mat)
}

STABM <- list(
  stabilityDavis = of_davis, stabilityDice = of_correctable("dice"),
  stabilityHamming = of_correctable("hamming", needs_p = TRUE),
  stabilityIntersectionCount = of_similar("intersection_count"),
  stabilityIntersectionGreedy = of_similar("intersection_greedy"),
  stabilityIntersectionMBM = of_similar("intersection_mbm"),
  stabilityIntersectionMean = of_similar("intersection_mean"),
  stabilityJaccard = of_correctable("jaccard"), stabilityKappa = of_measure("kappa"),
  stabilityLustgarten = of_measure("lustgarten"), stabilityNogueira = of_measure("nogueira"),
  stabilityNovovicova = of_correctable("novovicova"), stabilityOchiai = of_correctable("ochiai"),
  stabilityPhi = of_measure("phi"), stabilitySechidis = of_sechidis, stabilitySomol = of_measure("somol"),
  stabilityUnadjusted = of_measure("unadjusted"), stabilityWald = of_measure("wald"),
  stabilityYu = of_similar("yu"), stabilityZucknick = of_similar("zucknick", "none")
)

list2env(STABM, environment())

# How a help page shows the arguments of a function.
arguments_of <- function(f) {
  text <- sub(" NULL$", "", sub("^function ?", "", paste(trimws(deparse(args(f))), collapse = " ")))
  paste(strwrap(text, 56, exdent = 2), collapse = "\n")
}

#' @rdname stabm
listStabilityMeasures <- function() {
  found <- list_methods("stability")
  found <- found[found$kind == "sets" & found$name != "tanimoto", ]
  ends <- strsplit(sub("^.(.*).$", "\\1", found$bounds), ", ", fixed = TRUE)
  end <- function(i) vapply(ends, function(both) if (grepl("inf", both[i])) NA_character_ else both[i], "")
  name <- gsub("(^|_)(.)", "\\U\\2", found$name, perl = TRUE)
  data.frame(
    Name = paste0("stability", sub("Mbm", "MBM", name)), Corrected = found$corrected_for_chance,
    Adjusted = grepl("similarity", found$needs), Minimum = end(1), Maximum = as.numeric(end(2))
  )
}

#' @rdname stabm
plotFeatures <- function(features, sim.mat = NULL) {
  shown <- unique(unlist(features))
  if (!length(shown)) stop_pyfsagg("no feature is selected in any set", "data")
  member <- do.call(rbind, lapply(features, function(set) shown %in% set))
  apart <- stats::dist(t(member), "manhattan")
  if (!is.null(sim.mat)) {
    sim.mat <- named_similarity(sim.mat)
    apart <- stats::as.dist(1 - sim.mat[shown, shown])
  }
  side_by_side <- function(distance, n) if (n > 1L) stats::hclust(distance, "average")$order else 1L
  places <- side_by_side(apart, length(shown))
  sets <- side_by_side(stats::dist(member, "manhattan"), nrow(member))
  cells <- data.frame(
    feature = factor(rep(shown, each = nrow(member)), shown[places]),
    set = factor(rep(seq_len(nrow(member)), length(shown)), sets), selected = as.vector(member)
  )
  ggplot2::ggplot(cells, ggplot2::aes(.data$feature, .data$set, fill = .data$selected)) +
    ggplot2::geom_tile(colour = "white") +
    ggplot2::scale_fill_manual("selected", values = c("TRUE" = BLUE, "FALSE" = "grey90"))
}
