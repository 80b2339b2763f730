test_that("larger samples are expected to agree more, and the rows for an agreement are on that curve", {
  skip_without_pyfsagg()
  ask <- function(...) {
    expected_replication(iris[1:4], iris$Species, n_features_to_select = 2, filter = "chi_squared", seed = 1,
                         progress = FALSE, ...)
  }
  found <- ask()
  table <- found$table
  expect_identical(table$source, rep(c("measured", "expected"), each = 3))
  expect_identical(as.numeric(table$n_rows), c(18, 37, 75, 150, 300, 600))
  expect_false(is.unsorted(table$agreement[4:6]))
  expect_true(all(table$lower <= table$agreement & table$agreement <= table$upper))
  wished <- ask(agreement = table$agreement[5])
  expect_equal(wished$n_rows, 300)
  expect_identical(wished$table, table)
  expect_output(print(wished), "Rows for the agreement wished for: 300")
  expect_identical(update(found)$table, table)
  expect_error(ask(agreement = 1), "agreement must be")
  expect_error(expected_replication(iris[1:4], iris$Species, 4, seed = 1), "below the number of features, 4")
})

test_that("scores are compared with noise where columns differ in their levels, unless they are not to be", {
  skip_without_pyfsagg()
  set.seed(1)
  x <- data.frame(iris[1:2], letter = factor(sample(letters, 150, TRUE)))
  run <- function(...) wam(x, iris$Species, filter = "chi_squared", n_resamples = 20, seed = 1, progress = FALSE, ...)
  expect_identical(run()$parameters$normalize, "against_noise")
  expect_null(run(normalize = "none")$parameters$normalize)
  expect_identical(unname(run()$ranks["letter"]), 3)
})
