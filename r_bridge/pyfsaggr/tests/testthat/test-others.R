lists <- list(
  first = c("a", "b", "c", "e"), second = c("b", "a", "d"), third = c("a", "c"), c("d", "b", "a")
)

test_that("aggregate_ranks gives what aggregateRanks gives", {
  skip_without_pyfsagg()
  skip_if_not_installed("RobustRankAggreg")
  for (method in c("RRA", "min", "geom.mean", "mean", "median", "stuart")) {
    ours <- aggregate_ranks(lists, N = 20, method = method)
    theirs <- RobustRankAggreg::aggregateRanks(lists, N = 20, method = method)
    theirs <- theirs[match(ours$Name, theirs$Name), ]
    expect_equal(ours$Score, theirs$Score, tolerance = 1e-9, info = method)
    expect_false(is.unsorted(ours$Score), info = method)
  }
  full <- aggregate_ranks(lists, full = TRUE)
  theirs <- RobustRankAggreg::aggregateRanks(lists, full = TRUE)
  expect_equal(full$Score, theirs[full$Name, "Score"], tolerance = 1e-9)
})

test_that("a matrix of normalized ranks is taken as well", {
  skip_without_pyfsagg()
  ranks <- matrix(c(0.1, 0.2, 1, 0.2, 0.1, 0.3), 3, dimnames = list(c("x", "y", "z"), NULL))
  found <- aggregate_ranks(rmat = ranks, exact = TRUE)
  expect_setequal(found$Name, c("x", "y", "z"))
  expect_identical(rownames(found), found$Name)
  expect_error(aggregate_ranks("a"), "list of character", class = "pyfsagg_input_type_error")
  expect_error(aggregate_ranks(list(c("a", "a"))), "twice", class = "pyfsagg_data_error")
})

test_that("a missing name is no item, in lists and in columns of different lengths", {
  skip_without_pyfsagg()
  whole <- aggregate_ranks(list(c("a", "b"), c("b", "c"), "d"))
  expect_identical(aggregate_ranks(list(c("a", NA, "b"), c("b", "c", ""), c(NA, "d"))), whole)
  table <- data.frame(x = c("a", "b"), y = c("b", "c"), z = c("d", NA))
  expect_identical(aggregate_ranks(table), whole)
})

test_that("arguments of aggregate_ranks are looked at", {
  no <- function(text, ...) {
    expect_error(aggregate_ranks(list(c("a", "b"), c("b", "a")), ...), text, class = "pyfsagg_parameter_error")
  }
  no("full must be TRUE or FALSE, got NA", full = NA)
  no("method must be one name", method = c("RRA", "stuart"))
  no("N must be one whole number", N = "a")
  no("N = 1 is smaller than the 2 different items", N = 1)
  no("topCutoff must be one share", topCutoff = 2)
  no("p_adjust belongs to p-values", method = "stuart", p_adjust = "BH")
})

test_that("p-values are adjusted over all items", {
  skip_without_pyfsagg()
  found <- aggregate_ranks(lists, N = 50, p_adjust = "BH")
  expect_equal(found$Adjusted, p.adjust(found$Score, "BH", n = 50))
  expect_identical(aggregate_ranks(lists, topCutoff = 0.9), aggregate_ranks(lists, topCutoff = rep(0.9, 4)))
})

test_that("aggregateRanks() is that of RobustRankAggreg", {
  skip_without_pyfsagg()
  skip_if_not_installed("RobustRankAggreg")
  theirs <- RobustRankAggreg::aggregateRanks
  arguments <- names(formals(theirs))
  expect_identical(names(formals(aggregateRanks)), arguments)
  ragged <- list(letters[c(3, 1, 2, 9)], letters[c(1, 3)], letters[c(8, 3, 5)])
  ranks <- RobustRankAggreg::rankMatrix(ragged, N = 20)
  same <- function(...) {
    expected <- theirs(...)
    ours <- aggregateRanks(...)
    expect_identical(names(ours), names(expected))
    expect_equal(ours[rownames(expected), "Score"], expected$Score, tolerance = 1e-9)
  }
  same(ragged, N = 20)
  same(ragged, N = 20, method = "stuart")
  same(rmat = ranks)
  same(rmat = ranks, exact = TRUE)
  same(glist = ragged, N = 20, topCutoff = c(0.2, 0.1, 0.15))
  repeated <- list(c("a", "b", "a", "c"), c("c", "a"), character())
  for (method in c("RRA", "min", "geom.mean", "mean", "median", "stuart")) same(repeated, N = 8, method = method)
  same(repeated[1:2], full = TRUE)
  same(rmat = as.data.frame(ranks))
})

test_that("Stuart is exact for many lists", {
  skip_without_pyfsagg()
  many <- lapply(1:300, function(i) c("a", "b", "c"))
  found <- aggregate_ranks(many, method = "stuart", N = 10)
  expect_true(all(is.finite(found$Score) & found$Score >= 0 & found$Score <= 1))
})

test_that("stability of results, matrices and lists", {
  skip_without_pyfsagg()
  found <- quick(Species ~ ., data = iris)
  of_result <- stability(found, c("pearson", "jaccard"))
  expect_equal(of_result$value[1], mean(cor(t(found$combined))[lower.tri(diag(20))]))
  expect_equal(as.data.frame(of_result), as.data.frame(stability(found$combined, c("pearson", "jaccard"))))
  sets <- list(c("a", "b"), c("a", "c"), c("a", "b"))
  by_name <- stability(sets, "jaccard", n_features = 5)
  expect_equal(by_name$value, mean(c(1 / 3, 1, 1 / 3)))
  rows <- t(vapply(sets, function(set) letters[1:5] %in% set, logical(5)))
  expect_equal(stability(rows, "nogueira")$value, stability(sets, "nogueira", n_features = 5)$value)
  expect_output(print(by_name), "jaccard")
  expect_error(stability(1:3), "matrix or a list", class = "pyfsagg_input_type_error")
  zeros <- matrix(0, 6, 8)
  zeros[, 1] <- 1
  tied <- stability(zeros, "nogueira", input = "scores")
  expect_equal(tied$n_tied, 6)
  expect_lt(tied$value, 0.5)
  expect_equal(stability(zeros, "nogueira", input = "scores", ties = "first")$value, 1)
  expect_output(print(tied), "order is\\s+arbitrary")
})

test_that("similarities are matched to features by their names", {
  skip_without_pyfsagg()
  found <- quick(iris[1:4], iris$Species)
  near <- abs(cor(iris[1:4]))
  moved <- near[c(4, 2, 1, 3), c(3, 1, 2, 4)]
  for (each in list(near, moved, as.data.frame(moved))) {
    expect_identical(clusters(found, similarity = each)$members[[1]], "Petal.Width, Petal.Length")
  }
  near["Sepal.Length", "Sepal.Width"] <- near["Sepal.Width", "Sepal.Length"] <- 0.95
  scores <- matrix(sin(1:40), 10, dimnames = list(NULL, names(iris)[1:4]))
  moved <- near[c(1, 3, 2, 4), c(1, 3, 2, 4)]
  by_name <- function(...) stability(..., "yu", n_features_to_select = 2, interval = NULL)$value
  expect_identical(by_name(scores, similarity = moved), by_name(scores, similarity = near))
  expect_identical(by_name(unname(scores), similarity = near), by_name(scores, similarity = near))
  expect_false(by_name(unname(scores), similarity = moved) == by_name(scores, similarity = near))
  expect_equal(stability(scores, "yu", n_features_to_select = 2, similarity = moved)$value, by_name(scores, similarity = near))
  strange <- near
  dimnames(strange) <- list(letters[1:4], letters[1:4])
  expect_error(by_name(scores, similarity = strange), "'Sepal.Length' is not among", class = "pyfsagg_data_error")
  expect_error(clusters(found, similarity = strange), "'Sepal.Length' is not among", class = "pyfsagg_data_error")
  rownames(near)[1] <- "other"
  expect_error(clusters(found, similarity = near), "the same names", class = "pyfsagg_data_error")
})

test_that("the two samples of a pair are compared by the names of their features", {
  skip_without_pyfsagg()
  first <- matrix(sin(1:60), 6, dimnames = list(NULL, letters[1:10]))
  second <- first + matrix(cos(1:60), 6) / 4
  expected <- between_sample_stability(first, second)$table
  expect_identical(between_sample_stability(first, second[, 10:1])$table, expected)
  expect_identical(between_sample_stability(unname(first), second)$table, expected)
  colnames(second)[1] <- "z"
  expect_error(between_sample_stability(first, second), "the same names", class = "pyfsagg_data_error")
})

test_that("lists need not name every feature that has similarities", {
  skip_without_pyfsagg()
  near <- diag(10)
  near[1, 2] <- near[2, 1] <- 0.95
  sets <- list(c(1, 4), c(2, 4), c(1, 5))
  by_number <- stability(sets, c("zucknick", "yu"), n_features = 10, similarity = near)$value
  support <- t(vapply(sets, function(set) 1:10 %in% set, logical(10)))
  expect_equal(by_number, stability(support, c("zucknick", "yu"), similarity = near)$value)
  dimnames(near) <- list(letters[1:10], letters[1:10])
  named <- lapply(sets, function(set) letters[set])
  expect_equal(stability(named, c("zucknick", "yu"), similarity = near[10:1, 10:1])$value, by_number)
  expect_equal(stability(named, "zucknick", similarity = near[10:1, 10:1])$value, by_number[1])
  expect_error(stability(named, "yu", similarity = unname(near)), "name its rows", class = "pyfsagg_parameter_error")
})

test_that("influence compares aggregators, and stats::influence is as it was", {
  skip_without_pyfsagg()
  found <- influence(Species ~ ., data = iris, n_folds = 5, n_resamples = 10, seed = 1,
                     aggregators = c("arithmetic_mean", "rra"), progress = FALSE)
  expect_equal(colnames(summary(found)), c("arithmetic_mean", "robust_rank_aggregation"))
  expect_output(print(found), "5 folds")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_equal(nrow(plot(found)), 2L)
  expect_error(influence(Species ~ ., data = iris, progress = FALSE), "at most 50 folds (n_folds)",
               fixed = TRUE, class = "pyfsagg_data_error")
  expect_named(influence(lm(Sepal.Length ~ Sepal.Width, iris)),
               c("hat", "coefficients", "sigma", "wt.res"))
})

test_that("evaluate says what features are worth", {
  skip_without_pyfsagg()
  found <- evaluate(Species ~ ., data = iris, methods = c("information_gain", "mrmr"),
                    classifiers = c("naive_bayes", "svm"), n_features_to_select = c(0.25, 0.5, 1),
                    n_resamples = 10, seed = 1, cores = 2, progress = FALSE)
  expect_gt(min(found$weighted$wacc[found$weighted$kind == "method"]), 0.8)
  expect_identical(unique(found$cells$protocol), "nested")
  expect_output(print(found), "No place is certain")
  expect_s3_class(as.data.frame(found), "data.frame")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_gt(nrow(plot(found)), 0L)
})

test_that("the catalogue names what there is", {
  skip_without_pyfsagg()
  expect_true("mrmr" %in% list_methods("filters")$name)
  expect_true("stuart" %in% list_methods("aggregators")$name)
  expect_true("nogueira" %in% list_methods("stability")$name)
  expect_true("bootstrap" %in% list_methods("resampling")$name)
})

test_that("targets may be numbers, or not there", {
  skip_without_pyfsagg()
  found <- wam(Sepal.Length ~ ., data = iris[1:4], filter = "pearson", task = "regression",
               row_indices = matrix(1:150, 1), progress = FALSE)
  expect_equal(unname(found$scores), unname(abs(cor(iris[2:4], iris$Sepal.Length)[, 1])))
  expect_error(wam(Sepal.Length ~ ., data = iris[1:4], filter = "fit_criterion",
                   task = "regression", n_resamples = 2, progress = FALSE),
               "Filters for a number", class = "pyfsagg_data_error")
  alone <- wam(iris[1:4], filter = "laplacian_score", n_resamples = 3, seed = 1, progress = FALSE)
  expect_length(alone$scores, 4L)
  expect_error(quick(iris[1:4]), "requires y", class = "pyfsagg_data_error")
  expect_equal(nrow(influence(iris[1:4], filter = "laplacian_score", n_folds = 3, n_resamples = 3,
                              seed = 1, progress = FALSE)$ranks[[1]]), 3L)
  worth <- evaluate(Sepal.Length ~ ., data = iris[1:4], methods = "pearson", classifiers = "ridge",
                    n_features_to_select = 0.5, n_resamples = 3, task = "regression", seed = 1,
                    groups = rep(1:30, 5), progress = FALSE)
  expect_identical(unique(worth$cells$metric), "r2")
})
