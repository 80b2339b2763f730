# caret is in Debian; filtro and S7 are tried where they are installed.
test_that("caret ranks by ensembles in its own resampling", {
  skip_without_pyfsagg()
  skip_if_not_installed("caret")
  set.seed(1)
  rank <- caret_functions(caret::ldaFuncs, n_resamples = 10, seed = 2)$rank(NULL, iris[1:4], iris$Species)
  scores <- sort(quick(iris[1:4], iris$Species, n_resamples = 10, seed = 2)$scores, decreasing = TRUE)
  expect_identical(rank, data.frame(Overall = unname(scores), var = names(scores), row.names = names(scores)))
  eliminate <- function(functions, x, y, ...) {
    caret::rfe(x, y, sizes = 1:2, rfeControl = caret::rfeControl(functions, number = 2, method = "cv", ...))$optVariables
  }
  first <- eliminate(caret_functions(caret::ldaFuncs, bam, n_resamples = 3), iris[1:4], iris$Species, rerank = TRUE)
  expect_true(first[1] %in% c("Petal.Width", "Petal.Length"))
  numbers <- caret_functions(caret::lmFuncs, filter = "pearson", n_resamples = 3)
  expect_identical(eliminate(numbers, mtcars[-1], mtcars$mpg)[1], "wt")
  kept <- function(...) {
    control <- caret::sbfControl(caret_functions(caret::ldaSBF, n_resamples = 3, ...), number = 2, method = "cv",
                                 multivariate = TRUE)
    caret::sbf(iris[1:4], iris$Species, sbfControl = control)$optVariables
  }
  expect_identical(kept(n = 2), c("Petal.Length", "Petal.Width"))
  expect_length(kept(n = 3, feature_groups = list(petal = 3:4)), 4L)
  expect_error(caret_functions(caret::ldaSBF)$score(1:9, 1:9), "multivariate = TRUE", class = "pyfsagg_parameter_error")
  expect_error(caret_functions(caret::lda), class = "error")
  expect_error(caret_functions(list(fit = 1)), "such as caret::ldaFuncs", class = "pyfsagg_parameter_error")
})

test_that("scores go to filtro and come from it", {
  skip_without_pyfsagg()
  if (!requireNamespace("filtro", quietly = TRUE)) {
    expect_error(filtro_score(), "filtro|S7")
    return()
  }
  expected <- wam(Species ~ ., iris, n_resamples = 10, seed = 1)
  fitted <- generics::fit(filtro_score(wam, n_resamples = 10, seed = 1), Species ~ ., iris)
  found <- S7::prop(fitted, "results")
  expect_identical(found, S7::prop(filtro_score(expected), "results"))
  expect_identical(stats::setNames(found$score, found$predictor), expected$scores)
  expect_identical(unique(found$outcome), "Species")
  expect_identical(filtro::arrange_score(fitted)$predictor, names(sort(expected$scores, decreasing = TRUE)))
  weights <- rep(1:2, 75)
  weighted <- generics::fit(filtro_score(n_resamples = 3, seed = 1), Species ~ ., iris, case_weights = weights)
  expect_identical(S7::prop(weighted, "results")$score,
                   unname(quick(iris[1:4], iris$Species, weights = weights, n_resamples = 3)$scores))
  theirs <- generics::fit(filtro::score_aov_fstat, Species ~ ., iris)
  expect_named(filtro::bind_scores(list(fitted, theirs)), c("outcome", "predictor", "ensemble", "aov_fstat"))
  expect_equal(unname(whole(iris[1:4], iris$Species, filter = filtro::score_aov_fstat)), S7::prop(theirs, "results")$score)
  small <- filtro::score_aov_pval
  S7::prop(small, "neg_log10") <- FALSE
  expect_identical(names(which.max(whole(iris[1:4], iris$Species, filter = small))), "Petal.Length")
  both <- bam(iris[1:4], iris$Species, list(filtro::score_roc_auc, "mrmr"), n_resamples = 2, seed = 1)
  expect_named(both$score_matrices, c("roc_auc", "mrmr"))
  expect_error(quick(iris[1:4], iris$Species, filter = filtro::score_xtab_pval_chisq), "not defined for these features",
               class = "pyfsagg_data_error")
})
