# The tests run on the packages of mlr3 or, where these are not installed, on stand-ins of what is used.
skip_if_not_installed("mlr3filters")

filter_of <- function(key, ...) {
  found <- mlr3filters::flt(key)
  found$param_set$values <- list(seed = 1, ...)
  found
}

test_that("mlr3filters knows the ensembles", {
  expect_true(all(c("pyfsagg_wam", "pyfsagg_bam") %in% mlr3filters::mlr_filters$keys()))
  parameters <- mlr3filters::flt("pyfsagg_wam")$param_set
  expect_error(parameters$values <- list(n_resamples = 0))
  expect_error(parameters$values <- list(fliter = "mrmr"))
  parameters$values <- list(n_resamples = "auto")
  expect_identical(parameters$values$n_resamples, "auto")
})

test_that("every setting of a run is a parameter, but for what a task says", {
  skip_without_pyfsagg()
  expect_true(pyfsagg_available()) # starts Python
  of_the_task <- c("task", "groups", "weights", "counts", "row_indices", "progress")
  for (of in c("wam", "bam")) {
    code <- sprintf("import pyfsagg
from pyfsagg.ensemble.run import flat_names
from pyfsagg.for_r._given import IN_R
names = [IN_R.get(name, name) for name in flat_names(pyfsagg.%s)]", of)
    theirs <- reticulate::py_run_string(code)$names
    expect_setequal(mlr3filters::flt(paste0("pyfsagg_", of))$param_set$ids(), setdiff(theirs, of_the_task))
  }
})

test_that("scores are those of the ensembles", {
  skip_without_pyfsagg()
  classes <- mlr3::as_task_classif(iris, target = "Species")
  names <- classes$feature_names
  by_mlr3 <- filter_of("pyfsagg_wam", filter = "chi_squared", n_resamples = 10)
  by_mlr3$calculate(classes)
  expected <- quick(iris[names], iris$Species, filter = "chi_squared", n_resamples = 10)$scores
  expect_equal(by_mlr3$scores[names], expected)
  expect_false(is.unsorted(rev(by_mlr3$scores)))
  both <- filter_of("pyfsagg_bam", filters = c("chi_squared", "mrmr"), n_resamples = 5)
  both$calculate(classes, nfeat = 2)
  expect_equal(
    both$scores[names],
    bam(iris[names], iris$Species, c("chi_squared", "mrmr"), n_resamples = 5, seed = 1, progress = FALSE)$scores
  )
})

test_that("target, groups, weights and missing values are those of the task", {
  skip_without_pyfsagg()
  table <- iris[1:4]
  table$Sepal.Width[1:3] <- NA
  numbers <- mlr3::as_task_regr(table, target = "Petal.Width")
  names <- numbers$feature_names
  by_mlr3 <- filter_of("pyfsagg_wam", filter = "chi_squared", n_resamples = 5)
  by_mlr3$calculate(numbers)
  expected <- quick(table[names], iris$Petal.Width, filter = "chi_squared", n_resamples = 5, task = "regression")
  expect_equal(by_mlr3$scores[names], expected$scores)
  table <- cbind(iris, subject = rep(1:30, each = 5))
  grouped <- mlr3::as_task_classif(table, target = "Species")
  grouped$set_col_roles("subject", roles = "group")
  names <- grouped$feature_names
  expect_false("subject" %in% names)
  by_mlr3 <- filter_of("pyfsagg_wam", n_resamples = 5)
  by_mlr3$calculate(grouped)
  expected <- quick(iris[names], iris$Species, groups = table$subject, resampling = "grouped_bootstrap",
                    n_resamples = 5)
  expect_equal(by_mlr3$scores[names], expected$scores)
  expect_error(filter_of("pyfsagg_wam", filter = "nothing")$calculate(grouped), class = "pyfsagg_unknown_name_error")
  table <- cbind(iris, times = rep(c(1, 5), 75))
  weighted <- mlr3::as_task_classif(table, target = "Species")
  of_role <- function(role) weighted$set_col_roles("times", roles = role)
  tryCatch(of_role("weight"), error = function(unknown) of_role("weights_learner")) # as newer versions call it
  by_mlr3 <- filter_of("pyfsagg_wam", n_resamples = 5)
  by_mlr3$calculate(weighted)
  expect_equal(by_mlr3$scores[names], quick(iris[names], iris$Species, weights = table$times, n_resamples = 5)$scores)
})
