batches <- function() {
  set.seed(1)
  batch <- rep(c("a", "b", "c"), c(45, 30, 15))
  y <- ifelse(stats::runif(90) < c(a = 0.25, b = 0.6, c = 0.8)[batch], "case", "control")
  x <- data.frame(matrix(stats::rnorm(90 * 4), 90))
  x$X2 <- x$X2 + 2 * (batch == "c")
  x$X1 <- x$X1 + 1.5 * (y == "case")
  list(x = data.frame(x, batch = factor(batch), age = stats::rnorm(90, 50, 10)), y = y)
}

test_that("scores beside age and batch are those of a linear model", {
  skip_without_pyfsagg()
  data <- batches()
  rows <- matrix(1:90, 1)
  of <- function(filter, ...) quick(data$x, data$y, filter = filter, row_indices = rows, ...)
  expected <- vapply(data$x[1:4], function(x) {
    stats::anova(stats::lm(x ~ batch + age, data$x), stats::lm(x ~ batch + age + data$y, data$x))[2, "F"]
  }, 0)
  for (adjust in list(c("batch", "age"), 5:6)) {
    found <- of("anova_f", adjust = adjust)
    expect_identical(names(found$scores), names(expected))
    expect_equal(found$scores, expected)
  }
  expect_error(of("information_gain", adjust = "age"), "Filters that do: .*anova_f")
  expect_error(of("anova_f", adjust = "nobody"), "nobody")
})

test_that("columns that are always in are begun with and not ranked", {
  skip_without_pyfsagg()
  data <- batches()
  found <- quick(data$x, data$y, filter = "mrmr", always = "batch", adjust = NULL)
  expect_false("batch" %in% names(found$scores))
  expect_length(found$scores, 5)
  expect_match(paste(capture.output(print(found)), collapse = " "), "batch|Always|mrmr")
  expect_identical(quick(data$x, data$y, filter = "mrmr", always = 5)$scores, found$scores)
  expect_error(quick(data$x, data$y, filter = "mrmr", always = "nobody"), "nobody")
})
