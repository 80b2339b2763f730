skip_if_not_installed("survival")
skip_if(!pyfsagg_available(), "Python with pyfsagg is not here")
veteran <- survival::veteran
numbers <- veteran[c("trt", "time", "status", "karno", "diagtime", "age", "prior")]
once <- matrix(seq_len(nrow(numbers)), 1)
scores <- function(filter, ...) {
  wam(survival::Surv(time, status) ~ ., data = numbers, filter = filter, row_indices = once,
      progress = FALSE, ...)$score_matrices[[1]][1, ]
}

test_that("the score test and concordance are those of survival", {
  features <- c("trt", "karno", "diagtime", "age", "prior")
  y <- survival::Surv(veteran$time, veteran$status)
  for (ties in c("efron", "breslow")) {
    expected <- vapply(features, function(name) {
      survival::coxph(y ~ x, list(y = y, x = veteran[[name]]), ties = ties)$score
    }, 0)
    expect_equal(scores("cox_score", filter_params = list(ties = ties)), expected, tolerance = 1e-8)
  }
  index <- vapply(features, function(name) {
    survival::concordance(y ~ x, list(y = y, x = veteran[[name]]))$concordance
  }, 0)
  expect_equal(scores("concordance"), pmax(index, 1 - index), tolerance = 1e-9)
  residuals <- residuals(survival::coxph(y ~ 1), "martingale")
  expected <- vapply(features, function(name) abs(stats::cor(veteran[[name]], residuals)), 0)
  expect_equal(scores("pearson"), expected, tolerance = 1e-8)
})

test_that("survival times say themselves what they are", {
  y <- survival::Surv(veteran$time, veteran$status)
  x <- numbers[c("trt", "karno", "age")]
  expect_equal(attr(check_table(x, y), "facts")[3], "events: 128; the other times are censored")
  expect_error(wam(x, y, task = "regression"), "leave task", class = "pyfsagg_parameter_error")
  late <- survival::Surv(rep(0, 137), veteran$time, veteran$status)
  expect_error(wam(x, late), "only right-censored", class = "pyfsagg_data_error")
  found <- evaluate(x, y, methods = "cox_score", n_features_to_select = c(0.5, 1), n_resamples = 2, seed = 1,
                    progress = FALSE)
  expect_true(all(found$cells$metric == "concordance_index"))
})
