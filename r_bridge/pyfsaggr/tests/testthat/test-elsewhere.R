# Calls that end before their time, and calls in other processes and documents.
wide <- as.data.frame(matrix(sin((1:20000)^1.5), 200))
halves <- rep(c("a", "b"), 100)
endless <- function(...) wam(wide, halves, n_resamples = 2e5, seed = 1, progress = FALSE, ...)

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

# A run in another process that takes hours; its checkpoint says when it is at work.
begin <- function(sign, wide, halves, document = FALSE) {
  quick <- function() pyfsaggr::wam(iris[1:4], iris$Species, n_resamples = 20, seed = 1, progress = FALSE)$scores
  first <- quick()
  endless <- function() {
    pyfsaggr::wam(wide, halves, n_resamples = 2e5, seed = 1, progress = FALSE, checkpoint = sign)
  }
  met <- tryCatch({
    if (document) {
      knitr::knit(text = c("```{r}", "endless()", "```"), quiet = TRUE, envir = environment())
    } else {
      endless()
    }
    "ended"
  }, interrupt = function(e) "interrupt")
  list(met = met, same = identical(quick(), first))
}

wait_for <- function(ready, seconds = 120) {
  until <- Sys.time() + seconds
  while (!ready() && Sys.time() < until) Sys.sleep(0.05)
  ready()
}

at_work <- function(checkpoint) file.exists(file.path(checkpoint, "checkpoint.json"))

test_that("an interrupt ends a run in a process of callr, and in a document there, and the next call is as ever", {
  skip_without_pyfsagg()
  skip_if_not_installed("callr")
  skip_on_os("windows")
  for (document in c(FALSE, requireNamespace("knitr", quietly = TRUE))) {
    sign <- tempfile("begun")
    process <- callr::r_bg(begin, list(sign, wide, halves, document), libpath = .libPaths())
    on.exit(process$kill())
    expect_true(wait_for(function() at_work(sign)))
    process$interrupt()
    process$wait(60000)
    expect_identical(process$get_result(), list(met = "interrupt", same = TRUE), info = paste("document:", document))
  }
})

test_that("a worker of future can be interrupted", {
  skip_without_pyfsagg()
  skip_if_not_installed("future")
  skip_on_os("windows")
  before <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(before))
  sign <- tempfile("begun")
  work <- future::future({
    writeLines(as.character(Sys.getpid()), paste0(sign, ".pid"))
    begin(sign, wide, halves)
  }, globals = list(begin = begin, sign = sign, wide = wide, halves = halves), seed = TRUE)
  expect_true(wait_for(function() at_work(sign)))
  tools::pskill(as.integer(readLines(paste0(sign, ".pid"))), tools::SIGINT)
  expect_true(wait_for(function() future::resolved(work), 60))
  expect_identical(future::value(work), list(met = "interrupt", same = TRUE))
})
