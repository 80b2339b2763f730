test_that("tidy(), glance() and autoplot() know results", {
  skip_without_pyfsagg()
  skip_if_not_installed("generics")
  found <- quick(iris[1:4], iris$Species)
  expect_identical(generics::tidy(found)$feature, found$ranking$feature)
  expect_identical(generics::glance(found)$n_resamples, 20L)
  expect_identical(nrow(generics::tidy(stability(found, "pearson"))), 1L)
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(found, n = 3))
  expect_identical(nrow(drawn$data[[1]]), 3L)
})

test_that("a recipe has a step", {
  skip_without_pyfsagg()
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(Species ~ ., iris)
  recipe <- step_select_ensemble(recipe, recipes::all_predictors(), top = 2, n_resamples = 10, seed = 1)
  expect_output(print(recipe), "Selection by an ensemble")
  ready <- recipes::prep(recipe, iris)
  best <- selected(quick(iris[1:4], iris$Species, n_resamples = 10), 2)
  expect_setequal(names(recipes::bake(ready, NULL)), c(best, "Species"))
  expect_identical(dim(recipes::bake(ready, iris[1:5, 1:4])), c(5L, 2L))
  told <- generics::tidy(ready, 1)
  expect_setequal(told$terms[told$kept], best)
  expect_identical(generics::tunable(ready$steps[[1]])$name, "top")
  several <- step_select_ensemble(recipes::recipe(Species ~ ., iris), recipes::all_predictors(),
                                  filter = c("mrmr", "chi_squared"), top = 0.5, n_resamples = 5, seed = 1)
  expect_length(recipes::bake(recipes::prep(several, iris), NULL), 3L)
})

test_that("case weights of a recipe count, or are refused", {
  skip_without_pyfsagg()
  skip_if_not_installed("recipes")
  skip_if_not_installed("hardhat")
  ranking <- function(times) {
    recipe <- step_select_ensemble(recipes::recipe(Species ~ ., cbind(iris, times)), recipes::all_predictors(),
                                   top = 2, n_resamples = 5, seed = 1)
    recipes::prep(recipe)$steps[[1]]$ranking
  }
  times <- rep(c(1L, 5L), 75)
  expect_identical(ranking(hardhat::frequency_weights(times)),
                   quick(iris[1:4], iris$Species, counts = times, n_resamples = 5)$ranking)
  expect_identical(ranking(hardhat::importance_weights(times)),
                   quick(iris[1:4], iris$Species, weights = times, n_resamples = 5)$ranking)
  expect_error(ranking(hardhat::importance_weights(times / 2)), "weights must be whole numbers")
})

test_that("measures have the names of stabm", {
  skip_without_pyfsagg()
  sets <- list(c("a", "b"), c("a", "c"), c("a", "b"))
  expect_equal(stabilityJaccard(sets), mean(c(1 / 3, 1, 1 / 3)))
  expect_equal(stabilityNogueira(sets, p = 5), stability(sets, "nogueira", n_features = 5)$value)
  expect_equal(stabilityDice(list(1:2, 2:3)), 0.5)
  expect_equal(stabilityDavis(list(1:2, 1:3, 2:5), p = 12, penalty = 1), 9 / 15 - 0.25)
  expect_equal(stabilityJaccard(list(1:2, 2:3), p = 4, correction.for.chance = "exact"), -1 / 11)
  expect_error(stabilityJaccard(sets, p = 4, correction.for.chance = "yes"), "must be one of \"none\", \"exact\"",
               class = "pyfsagg_parameter_error")
  expect_identical(stabilityDice(sets, 4, "estimate"), stabilityDice(sets, 4, "exact"))
  listed <- listStabilityMeasures()
  expect_identical(listed$Minimum[listed$Name == "stabilityWald"], "1 - p")
  for (name in c(listed$Name, "plotFeatures")) expect_true(is.function(get(name)))
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::ggplot_build(plotFeatures(c(sets, list(character()))))
  expect_identical(sort(table(drawn$data[[1]]$fill), TRUE)[[1]], 6L) # of 12 cells six are selected
  expect_s3_class(plotFeatures(list(1:2, 3), diag(3)), "ggplot")
  expect_error(plotFeatures(list(character(), character())), "no feature is selected", class = "pyfsagg_data_error")
})

test_that("measures for similar features, and corrections, have the values of stabm 1.2.2", {
  skip_without_pyfsagg()
  near <- 0.92^abs(outer(1:5, 1:5, "-"))
  collections <- list(list(1:3, 2:4, c(1, 5)), list(1:2, 4:5, integer()))
  # exactly corrected, and not corrected at the threshold 0.8 with impute.na = 0.25
  expected <- list(
    Zucknick = c(-0.3924707802, -0.4201326100, 0.65224444444, 0.07053333333),
    Yu = c(-0.6350956555, -0.9012345679, 2.1666666667, 0.3333333333),
    IntersectionCount = c(-0.5698388012, NA, 2, 0.3333333333),
    IntersectionGreedy = c(-0.5698388012, NA, 2, 0.3333333333),
    IntersectionMBM = c(-0.5698388012, NA, 2, 0.3333333333),
    IntersectionMean = c(-0.5293703267, NA, 1.8709333333, 0.2821333333)
  )
  of <- function(name, ...) vapply(collections, get(paste0("stability", name)), 0, ...)
  for (name in names(expected)) {
    found <- c(of(name, near, correction.for.chance = "exact"),
               of(name, near, 0.8, correction.for.chance = "none", impute.na = 0.25))
    expect_equal(found, expected[[name]], tolerance = 1e-9, info = name)
  }
  expect_equal(of("Sechidis", near), c(-1.272727, -1.708804), tolerance = 1e-6)
  expect_equal(of("Davis", 5, "exact"), c(-0.5333966445, -0.5238095238), tolerance = 1e-9)
  expect_equal(of("Davis", 5, "exact", penalty = 1), c(-0.2513432836, -0.5515151515), tolerance = 1e-9)
  expect_equal(of("Novovicova", 5, "estimate"), c(-0.1143902948, -0.2222222222), tolerance = 1e-9)
  expect_identical(stabilityYu(collections[[1]], diag(5)), stabilityUnadjusted(collections[[1]], 5))
  sparse <- if (requireNamespace("Matrix", quietly = TRUE)) Matrix::Matrix(near) else near
  expect_identical(of("Yu", sparse), of("Yu", near))
})

test_that("a pair without a value makes stabm's measures NA, unless it is given one", {
  skip_without_pyfsagg()
  one_empty <- list(c("a", "b"), c("b", "c"), character())
  for (of in c(stabilityLustgarten, stabilityOchiai, stabilityPhi, stabilityUnadjusted, stabilityWald)) {
    expect_identical(of(one_empty, p = 10), NA_real_)
    expect_equal(of(one_empty, p = 10, impute.na = 0.5), (of(one_empty[1:2], p = 10) + 2 * 0.5) / 3)
  }
  expect_equal(stabilityJaccard(one_empty), 1 / 9)
  expect_identical(stabilityJaccard(one_empty[c(1, 3, 3)]), NA_real_)
})

test_that("the measures have the values of stabm 1.2.2", {
  skip_without_pyfsagg()
  collections <- list(list(1:3, 1:4, 2:6), list(1:3, integer(), integer()), list(1:8, 1:8, 2:3))
  # of the three collections, and of the last two with impute.na = 0.25
  expected <- list(
    Davis = c(0.66666667, 0.33333333, 0.75, 0.33333333, 0.75),
    Dice = c(0.67460317, NA, 0.6, 0.083333333, 0.6),
    Hamming = c(0.66666667, 0.75, 0.5, 0.75, 0.5),
    Jaccard = c(0.52777778, NA, 0.5, 0.083333333, 0.5),
    Kappa = c(0.35294118, NA, NA, 0.083333333, 0.083333333),
    Lustgarten = c(0.23611111, NA, NA, 0.25, 0.25),
    Nogueira = c(0.33333333, -0.14285714, -0.33333333, -0.14285714, -0.33333333),
    Novovicova = c(0.71030992, 0, 0.75395317, 0, 0.75395317),
    Ochiai = c(0.68441453, NA, 0.66666667, 0.25, 0.66666667),
    Phi = c(0.36648741, NA, NA, 0.25, 0.25),
    Somol = c(0.5, 0, 0, 0, 0),
    Unadjusted = c(0.35993441, NA, NA, 0.25, 0.083333333),
    Wald = c(0.48148148, NA, NA, 0.25, 0.25)
  )
  for (name in names(expected)) {
    ours <- get(paste0("stability", name))
    found <- c(vapply(collections, ours, 0, p = 8), vapply(collections[2:3], ours, 0, p = 8, impute.na = 0.25))
    expect_equal(found, expected[[name]], tolerance = 1e-7, info = name)
  }
})

test_that("every kind of result is tidy, has one row about it, a picture, and runs again", {
  skip_without_pyfsagg()
  skip_if_not_installed("generics")
  skip_if_not_installed("ggplot2")
  run <- list(seed = 1, progress = FALSE)
  call <- function(f, ...) do.call(f, c(list(iris[1:4], iris$Species, ...), run))
  pairs <- wam(iris[1:4], iris$Species, resampling = "complementary_pairs", n_resamples = 20, seed = 1,
               progress = FALSE)
  results <- list(
    call("aggregator_influence", aggregators = "median_rank", n_folds = 3, n_resamples = 3),
    call("evaluate", methods = "chi_squared", classifiers = "naive_bayes", n_features_to_select = c(0.5, 1), n_folds = 2,
         n_resamples = 3),
    call("permute_target", shuffles = 19),
    error_control(pairs, max_false = 1),
    stability(pairs, c("pearson", "jaccard"))
  )
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (each in results) {
    kind <- class(each)[1]
    expect_gt(nrow(generics::tidy(each)), 0L)
    expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(each))$plot, "ggplot")
    expect_gt(nrow(plot(each)), 0L)
    if (kind == "pyfsagg_stability") next
    expect_identical(nrow(generics::glance(each)), 1L, info = kind)
    expect_identical(update(each)$table, each$table, info = kind)
    expect_true(is.call(each$call), info = kind)
  }
  expect_identical(generics::glance(results[[1]])$n_folds, 3L)
  expect_identical(generics::glance(results[[2]])$n_thresholds, 2L)
})

test_that("the pictures of an evaluation have the line of all features", {
  skip_without_pyfsagg()
  found <- evaluate(iris[1:4], iris$Species, methods = "chi_squared", classifiers = "naive_bayes",
                    n_features_to_select = c(0.5, 1), n_folds = 2, n_resamples = 3, seed = 1, progress = FALSE)
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, compress = FALSE)
  plot(found)
  grDevices::dev.off()
  dashed <- grepl("^\\[.+\\] 0 d$", readLines(file, warn = FALSE))
  expect_identical(sum(dashed), 2L) # in the panel and in the legend
  skip_if_not_installed("ggplot2")
  line <- ggplot2::ggplot_build(ggplot2::autoplot(found))$data[[1]]
  expect_equal(unique(line$yintercept), found$summary$mean[found$summary$method == "all features"])
})

test_that("a recipe's step does what other steps do at the ends", {
  skip_without_pyfsagg()
  skip_if_not_installed("recipes")
  kept <- function(recipe, ...) {
    prepared <- recipes::prep(step_select_ensemble(recipe, ..., n_resamples = 3, seed = 1))
    names(recipes::bake(prepared, NULL))
  }
  classes <- recipes::recipe(Species ~ ., iris)
  expect_setequal(kept(classes, recipes::all_predictors(), top = 10), names(iris))
  expect_setequal(kept(classes, "Sepal.Length"), names(iris))
  numbers <- recipes::recipe(mpg ~ ., mtcars)
  expect_setequal(kept(numbers, recipes::all_predictors(), filter = "pearson", top = 1), c("wt", "mpg"))
})

test_that("results obey the habits of R", {
  skip_without_pyfsagg()
  table <- transform(mtcars, am = factor(am), often = rep(1:2, 16), subject = rep(1:16, 2))
  run <- function(...) wam(..., n_resamples = 6, seed = 1, progress = FALSE)
  columns <- c("mpg", "wt", "gear")
  of_table <- function(...) run(am ~ mpg + wt + gear, data = table, ...)
  expect_identical(of_table(weights = often)$scores, run(table[columns], table$am, weights = table$often)$scores)
  few <- table[table$hp > 100, ]
  expect_identical(of_table(subset = hp > 100, weights = often)$scores,
                   run(few[columns], few$am, weights = few$often)$scores)
  expect_identical(of_table(groups = subject, resampling = "grouped_bootstrap")$scores,
                   run(table[columns], table$am, groups = table$subject, resampling = "grouped_bootstrap")$scores)
  found <- wam(am ~ mpg + wt + gear, data = table, n_resamples = 6, seed = 1, progress = FALSE)
  expect_equal(formula(found), am ~ mpg + wt + gear, ignore_attr = TRUE)
  fewer <- update(found, . ~ . - gear)
  expect_identical(names(fewer$scores), c("mpg", "wt"))
  all <- wam(Species ~ ., iris, n_resamples = 3, seed = 1)
  expect_identical(names(update(all, . ~ . - Sepal.Width)$scores), names(iris)[c(1, 3, 4)])
  expect_identical(update(stability(found, "jaccard"), measures = "pearson")$measure, "pearson")
  expect_error(formula(run(iris[1:4], iris$Species)), "without a formula", class = "pyfsagg_input_type_error")
  expect_named(run(am ~ poly(mpg, 2) + wt %in% gear, data = table)$scores,
               c("poly(mpg, 2)1", "poly(mpg, 2)2", "wt:gear"))
  for (n in list(2.5, 0, 9, NA, "all")) {
    expect_error(selected(found, n), "n must be .*got", class = "pyfsagg_parameter_error")
  }
  for (asked in list(c(random_state = 1, seed = "seed"), c(n_jobs = 1, seed = "cores"))) {
    given <- c(list(iris[1:4], iris$Species, progress = FALSE), as.list(asked[1]))
    expect_error(do.call(wam, given), paste0("did you mean '", asked[[2]], "'"))
  }
  expect_error(run(iris[1:4], iris$Species, function(x, y) colSums(x)), "\\(x, y, weight\\)",
               class = "pyfsagg_parameter_error")
})

test_that("every result has a table, a matrix, a call, one row about it, and takes graphical parameters", {
  skip_without_pyfsagg()
  run <- function(what, ...) what(iris[1:4], iris$Species, ..., seed = 1, progress = FALSE)
  ranking <- run(wam, n_resamples = 20, resampling = "complementary_pairs")
  results <- list(
    ranking, error_control(ranking), run(permute_target, shuffles = 19),
    run(committee, n_resamples = 3), stability(ranking, c("jaccard", "pearson")),
    run(aggregator_influence, n_folds = 3, n_resamples = 5), run(evaluate, "chi_squared", "naive_bayes", c(0.5, 1),
                                                                 n_folds = 3, n_resamples = 5),
    check_table(cbind(iris[1:4], id = 1:150), iris$Species), screen_genes(sin(1:20), rep(letters[1:5], 4)),
    list_agreement(list(letters[1:9], letters[c(2, 1, 3:9)])), frcm(iris[1:4], n_clusterings = 5, seed = 1)
  )
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  look <- list(xlim = c(0, 3), ylim = c(0, 9), main = "a", xlab = "b", ylab = "c", type = "p", col = "red", pch = 3,
               cex = 2, las = 1, axes = FALSE)
  for (i in seq_along(results)) {
    each <- results[[i]]
    expect_s3_class(as.data.frame(each), "data.frame", exact = TRUE)
    expect_true(is.matrix(as.matrix(each)), info = i)
    expect_output(print(each, n = 2))
    expect_true(is.call(stats::getCall(each)), info = i)
    if (i <= 7) for (name in names(look)) expect_no_error(do.call(plot, c(list(each), look[name])))
    if (requireNamespace("generics", quietly = TRUE)) {
      expect_identical(nrow(generics::glance(each)), 1L)
      expect_gte(nrow(generics::tidy(each)), 1L)
    }
  }
  expect_identical(as.matrix(ranking), ranking$combined)
  expect_error(plot(results[[10]]), "write_picture", class = "pyfsagg_input_type_error")
})
