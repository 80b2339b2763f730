refused <- function(x, y = iris$Species, kind = "data", text) {
  expect_error(quick(x, y), text, class = paste0("pyfsagg_", kind, "_error"))
}

test_that("columns that are no features are refused by name", {
  table <- iris[1:4]
  table$odd <- as.list(seq_len(150))
  refused(table, text = "'odd' is a list")
  table$odd <- Sys.Date() + seq_len(150)
  refused(table, text = "'odd' holds dates")
  table$odd <- complex(real = seq_len(150))
  refused(table, text = "'odd' is of type complex")
  table$odd <- as.matrix(iris[1:2])
  refused(table, text = "'odd' is a matrix")
})

test_that("names must be there and differ", {
  table <- iris[1:4]
  names(table)[2] <- "Sepal.Length"
  refused(table, text = "duplicate column name.*'Sepal.Length'")
  names(table)[2] <- ""
  refused(table, text = "column 2 of x has no name")
  names(table)[2] <- NA
  refused(table, text = "column 2 of x has no name")
})

test_that("targets must be complete, of the right length and have two classes", {
  skip_without_pyfsagg()
  labels <- iris$Species
  labels[4] <- NA
  refused(iris[1:4], labels, text = "missing")
  refused(iris[1:4], iris$Species[-1], text = "149 labels for 150")
  refused(iris[1:4], rep("a", 150), text = "one class only")
  refused(iris[1:4], Sys.Date() + seq_len(150), text = "dates")
  refused(iris[1:4], as.list(1:150), kind = "input_type", text = "vector or a factor")
})

test_that("unused levels are no classes", {
  skip_without_pyfsagg()
  two <- iris[iris$Species != "virginica", ]
  expect_identical(quick(two[1:4], two$Species)$combined,
                   quick(two[1:4], as.character(two$Species))$combined)
})

test_that("a frame of one row, and things that are no tables", {
  skip_without_pyfsagg()
  refused(iris[1, 1:4], iris$Species[1], text = "1 sample")
  refused("iris", kind = "input_type", text = "data frame or a matrix")
})

test_that("formulas name columns", {
  expect_error(wam(Species ~ log(Sepal.Length), data = iris), "transform",
               class = "pyfsagg_parameter_error")
  expect_error(wam(log(Sepal.Width) ~ ., data = iris), "left side", class = "pyfsagg_parameter_error")
  expect_error(wam(Species ~ ., data = "iris"), "data frame", class = "pyfsagg_input_type_error")
})

test_that("parameters are refused in one sentence, and misspelt ones too", {
  skip_without_pyfsagg()
  expect_error(quick(iris[1:4], iris$Species, n_resamples = 0), "n_resamples must be",
               class = "pyfsagg_parameter_error")
  expect_error(quick(iris[1:4], iris$Species, filter = "informaton_gain"),
               "did you mean 'information_gain'", class = "pyfsagg_unknown_name_error")
  expect_error(quick(iris[1:4], iris$Species, aggregater = "median"),
               "did you mean 'aggregator'", class = "pyfsagg_unknown_name_error")
  expect_error(quick(iris[1:4], iris$Species, weight = rep(1, 150)), "did you mean 'weights'",
               class = "pyfsagg_unknown_name_error")
  expect_error(wam(iris[1:4], iris$Species, "chi_squared", "l2_norm", 20, "bootstrap", 1, 1, FALSE, 3),
               "by their names", class = "pyfsagg_parameter_error")
})

test_that("warnings of Python are warnings", {
  skip_without_pyfsagg()
  expect_warning(aggregate_ranks(list("a", "b")), class = "pyfsagg_warning")
})
