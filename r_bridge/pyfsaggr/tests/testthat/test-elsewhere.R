# Calls that end before their time, and calls in other processes and documents.
wide <- as.data.frame(matrix(sin((1:20000)^1.5), 200))
halves <- rep(c("a", "b"), 100)
endless <- function(...) wam(wide, halves, n_resamples = 1e6, seed = 1, progress = FALSE, ...)

test_that("a time limit ends a call by the error of R, and the next call is as ever", {
  skip_without_pyfsagg()
  before <- quick(iris[1:4], iris$Species)$scores
  on.exit(setTimeLimit())
  slow <- function(x, y, weight) {
    Sys.sleep(0.02)
    colMeans(x)
  }
  for (filter in list("information_gain", slow)) {
    reached <- tryCatch({
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      endless(filter = filter)
    }, error = identity)
    setTimeLimit()
    expect_s3_class(reached, "simpleError")
    expect_identical(conditionMessage(reached), gettext("reached elapsed time limit", domain = "R"))
  }
  expect_identical(quick(iris[1:4], iris$Species)$scores, before)
})

test_that("results come back from other processes and in documents", {
  skip_without_pyfsagg()
  expected <- quick(iris[1:4], iris$Species)$scores
  run <- function() pyfsaggr::wam(iris[1:4], iris$Species, n_resamples = 20, seed = 1, progress = FALSE)
  libraries <- .libPaths()
  if (requireNamespace("callr", quietly = TRUE)) {
    expect_identical(callr::r(run, libpath = libraries)$scores, expected)
  }
  if (requireNamespace("future", quietly = TRUE)) {
    before <- future::plan(future::multisession, workers = 2)
    on.exit(future::plan(before))
    expect_identical(future::value(future::future(run(), seed = TRUE))$scores, expected)
  }
  if (requireNamespace("knitr", quietly = TRUE)) {
    chunk <- "pyfsaggr::wam(iris[1:4], iris$Species, n_resamples = 20, seed = 1, progress = FALSE)"
    page <- knitr::knit(text = c("```{r}", chunk, "```"), quiet = TRUE)
    expect_match(page, "Within-aggregation (WAM): information gain", fixed = TRUE)
  }
})
