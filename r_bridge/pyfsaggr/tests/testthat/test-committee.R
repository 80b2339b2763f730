vote_of <- function(..., n_resamples = 3, seed = 1) {
  committee(..., n_resamples = n_resamples, seed = seed, progress = FALSE)
}

apart <- function(x, y) abs(stats::cor(x, as.integer(factor(y)))[, 1])

test_that("learners by name, with parameters, and R functions vote", {
  skip_without_pyfsagg()
  learners <- list("lr", trees = list("rf", n_estimators = 5), apart = apart)
  found <- vote_of(iris[1:4], iris$Species, learners, n_features = 2)
  expect_s3_class(found, "pyfsagg_committee")
  expect_identical(unique(found$voters$learner), c("logistic_regression", "trees", "apart"))
  expect_equal(found$voters$resample, rep(1:3, 3))
  expect_identical(unname(rowSums(found$support)), rep(2, 9))
  expect_identical(is.na(found$voters$performance), rep(c(FALSE, FALSE, TRUE), each = 3))
  expect_match(found$voters$message[9], "predicts nothing")
  expect_setequal(selected(found, 2), c("Petal.Length", "Petal.Width"))
  expect_match(found$parameters$learners$trees, "n_estimators=5")
  expect_equal(found$parameters$resampling_params$fraction, 0.8)
  expect_equal(found$voters$n_test, rep(30, 9))
  expect_output(print(found), "9 voters selected 2 of 4 features")
  again <- vote_of(Species ~ ., iris, learners = learners, n_features = 2)
  expect_identical(again$ranking, found$ranking)
})

test_that("an R function sees the rows that were drawn, and its importances decide", {
  skip_without_pyfsagg()
  seen <- list()
  second <- function(x, y) {
    seen <<- c(seen, list(list(x = x, y = y)))
    c(0, 2, 0, -1)
  }
  rows <- matrix(c(1:40, 61:140), 1)
  found <- committee(iris[1:4], iris$Species, second, row_indices = rows, n_features = 2, seed = 1, progress = FALSE)
  expect_identical(found$voters$learner, "r_function")
  expect_identical(names(which(found$support[1, ])), c("Sepal.Width", "Petal.Width"))
  expect_equal(seen[[1]]$x, matrix(as.matrix(iris[rows[1, ], 1:4]), ncol = 4, dimnames = list(NULL, paste0("V", 1:4))))
  expect_equal(seen[[1]]$y, as.character(iris$Species)[rows[1, ]])
})

test_that("factors and groups of columns are features", {
  skip_without_pyfsagg()
  x <- data.frame(a = rep(1:6, 20), level = factor(rep(c("u", "v", "w", "z"), 30)), b = rep(c(0.5, 2, 1), 40))
  y <- factor(ifelse(x$level %in% c("u", "w"), "yes", "no"))
  found <- vote_of(x, y, "lr", n_features = 1)
  expect_identical(selected(found, 1), "level")
  dummies <- cbind(x["a"], stats::model.matrix(~ level - 1, x), x["b"])
  members <- paste0("level", levels(x$level))
  grouped <- vote_of(dummies, y, "lr", n_features = 1, feature_groups = list(level = members))
  expect_identical(selected(grouped, 1), "level")
  expect_identical(selected(grouped, 1, columns = TRUE), members)
  expect_identical(grouped$groups, list(level = members))
})

test_that("ways to select, rules and weights", {
  skip_without_pyfsagg()
  found <- vote_of(
    iris[1:4], iris$Species, c("lr", "nb"), n_features = 2, folds = 3, by = "sequential",
    selection = list(logistic_regression = list(by = "elimination", n_features = 1)), rule = "phragmen",
    voter_weights = "performance", size = 2, metric = "balanced_accuracy", n_resamples = 2
  )
  expect_equal(found$voters$n_features, c(1, 1, 2, 2))
  expect_equal(found$voters$weight, found$voters$performance)
  expect_identical(found$parameters$rule, "phragmen")
  expect_identical(found$parameters$metric, "balanced_accuracy")
  number <- vote_of(iris[1:3], iris$Petal.Width, "ridge", task = "regression", n_features = 1, n_resamples = 2)
  expect_identical(selected(number, 1), "Petal.Length")
  expect_identical(number$parameters$metric, "r2")
})

test_that("a committee is tidy, drawn, kept and run again", {
  skip_without_pyfsagg()
  skip_if_not_installed("generics")
  skip_if_not_installed("ggplot2")
  folder <- tempfile()
  found <- committee(
    iris[1:4], iris$Species, "lr", n_resamples = 3, seed = 1, progress = FALSE, save = folder
  )
  expect_identical(generics::tidy(found)$feature, found$ranking$feature)
  about <- generics::glance(found)
  expect_equal(c(about$n_voters, about$n_learners, about$n_features), c(3, 1, 4))
  expect_equal(about$performance, mean(found$voters$performance))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(found, 3)$share, found$ranking$share[1:3])
  expect_identical(nrow(ggplot2::ggplot_build(ggplot2::autoplot(found, n = 2))$data[[1]]), 2L)
  expect_identical(as.data.frame(found), found$ranking)
  kept <- load_result(folder)
  parts <- setdiff(names(found), "call")
  expect_equal(unclass(kept)[parts], unclass(found)[parts], ignore_attr = TRUE)
  expect_identical(update(found, save = NULL)$ranking, found$ranking)
  expect_identical(update(found, save = NULL, rule = "sav")$parameters$rule, "satisfaction_approval")
  page <- write_report(found, tempfile(fileext = ".html"))
  expect_true(any(grepl("logistic_regression", readLines(page, warn = FALSE))))
  voted <- vote_features(list("a", c("a", "b")), performance = c(0.5, 0.6))
  expect_s3_class(voted, "pyfsagg_committee")
  expect_identical(selected(voted, 1), "a")
  expect_identical(generics::glance(voted)$n_learners, 0L)
  expect_true(is.na(generics::glance(voted)$seed))
})

test_that("what is wrong with a committee is said in R's words", {
  skip_without_pyfsagg()
  wrong <- function(text, ..., class = "pyfsagg_parameter_error") {
    expect_error(vote_of(iris[1:4], iris$Species, ...), text, class = class)
  }
  wrong("learners must be names of list_methods", learners = 3)
  wrong("learners must be a name, or a list that begins with one", learners = list(list(2)))
  wrong("perceptron", learners = "perceptron", class = "pyfsagg_error")
  wrong("unknown parameter of random_forest 'trees'", learners = list(list("rf", trees = 5)), class = "pyfsagg_error")
  wrong("given twice", learners = list("rf", list("rf", n_estimators = 5)))
  wrong("the learner 'r_function' failed: no idea", learners = function(x, y) stop("no idea"), class = "pyfsagg_error")
  wrong("one finite number per column, 4 in all", learners = function(x, y) 1, class = "pyfsagg_error")
  wrong("is a function and predicts nothing", learners = apart, by = "sequential", n_features = 2)
  wrong("select with", learners = "nb")
  wrong("by", learners = "lr", by = "chance", class = "pyfsagg_error")
  wrong("voter_weights must be NULL", learners = "lr", voter_weights = "size")
  wrong("which is not a learner", learners = "lr", selection = list(rf = list(by = "elimination")))
  wrong("unknown setting of a selection", learners = "lr", class = "pyfsagg_error",
        selection = list(logistic_regression = list(number = 2)))
  wrong("n_features must be a whole number of features", learners = "lr", n_features = NA)
  wrong("n_features must be \"auto\", a whole number", learners = "lr", n_features = "all")
  wrong("by must be one name", learners = "lr", by = c("importance", "sequential"))
  for (f in list(committee, evaluate)) expect_error(f(iris[1:4]), "the target y is NULL", class = "pyfsagg_data_error")
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(as.matrix(iris[1:4]), sparse = TRUE)
  expect_error(vote_of(sparse, iris$Species, "lr"), "as.matrix\\(x\\)", class = "pyfsagg_input_type_error")
  wrong("unknown argument 'sizes'", learners = "lr", sizes = 2, class = "pyfsagg_error")
  expect_error(vote_of(iris[2:4], iris$Sepal.Length), "task = \"regression\"", class = "pyfsagg_parameter_error")
  skip_if_not_installed("survival")
  expect_error(vote_of(iris[2:4], survival::Surv(iris$Sepal.Length, rep(0:1, 75)), "lr"), "use wam with task = \"survival\"",
               class = "pyfsagg_parameter_error")
})
