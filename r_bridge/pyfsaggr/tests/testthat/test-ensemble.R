test_that("all kinds of columns arrive and come back", {
  skip_without_pyfsagg()
  found <- quick(mixed(), iris$Species)
  expect_s3_class(found, "pyfsagg_ensemble")
  expect_setequal(found$ranking$feature, names(mixed()))
  expect_equal(dim(found$combined), c(20L, 7L))
  expect_equal(colnames(found$combined), names(mixed()))
  expect_equal(found$ranking$score, unname(found$scores[found$ranking$feature]))
  # Another way to write the same table gives the same scores.
  same <- mixed()
  same$text <- factor(same$text)
  same$level <- as.character(same$level)
  expect_identical(whole(same, as.character(iris$Species)), whole(mixed(), iris$Species))
})

test_that("missing values of whole numbers and logicals are missing, not numbers", {
  skip_without_pyfsagg()
  table <- data.frame(a = rep(1:2, 30), b = rep(c(TRUE, FALSE), 30), c = rnorm(60))
  y <- rep(c("u", "v"), 30)
  full <- whole(table, y, nominal = "a")
  table$a[1:20] <- NA
  table$b[1:20] <- NA
  gaps <- whole(table, y, nominal = "a")
  expect_lt(gaps[["a"]], full[["a"]])
  expect_lt(gaps[["b"]], full[["b"]])
  as_levels <- table
  as_levels$a <- addNA(factor(table$a))
  levels(as_levels$a)[3] <- "none"
  expect_equal(whole(as_levels, y)[["a"]], gaps[["a"]])
})

test_that("formula, data frame and matrix say the same", {
  skip_without_pyfsagg()
  by_formula <- quick(Species ~ ., data = iris)
  expect_identical(quick(iris[1:4], iris$Species)$scores, by_formula$scores)
  expect_identical(quick(as.matrix(iris[1:4]), iris$Species)$scores, by_formula$scores)
  some <- quick(Species ~ Petal.Width + Petal.Length, data = iris)
  expect_identical(names(some$scores), c("Petal.Width", "Petal.Length"))
  bare <- quick(unname(as.matrix(iris[1:4])), iris$Species)
  expect_identical(names(bare$scores), paste0("V", 1:4))
})

test_that("results are those of Python, bit for bit", {
  skip_without_pyfsagg()
  file <- tempfile(fileext = ".csv")
  utils::write.csv(iris, file, row.names = FALSE)
  python <- reticulate::import("pyfsagg")
  frame <- reticulate::import("pandas", convert = FALSE)$read_csv(file)
  theirs <- python$wam(
    frame$drop(columns = "Species"), frame["Species"], filter = "mrmr", n_resamples = 30L,
    random_state = 7L
  )
  ours <- wam(Species ~ ., data = iris, filter = "mrmr", n_resamples = 30, seed = 7, progress = FALSE)
  expect_identical(unname(ours$combined), theirs$combined)
  expect_identical(unname(ours$scores), as.vector(theirs$scores))
})

test_that("copies that split the vote are told", {
  skip_without_pyfsagg()
  signal <- sin(1:120 * 7)
  table <- data.frame(sapply(1:8, function(j) signal + 0.2 * sin(1:120 * (10 + j))))
  names(table) <- paste0("copy", 1:8)
  for (j in 1:4) table[[paste0("noise", j)]] <- cos(1:120 * (20 + j))
  found <- wam(table, signal + cos(1:120 * 3) > 0, n_resamples = 60, seed = 1, progress = FALSE)
  expect_match(found$about_copies, "split the vote")
  expect_output(print(found), "nearly\\s+copies")
  expect_identical(quick(iris[1:2], iris$Species)$about_copies, "")
})

test_that("set.seed decides unless a seed is given", {
  skip_without_pyfsagg()
  run <- function() wam(iris[1:4], iris$Species, n_resamples = 5, progress = FALSE)$combined
  set.seed(1)
  first <- run()
  second <- run()
  set.seed(1)
  expect_identical(run(), first)
  expect_false(identical(first, second))
})

test_that("row numbers count from one, and cores do not matter", {
  skip_without_pyfsagg()
  rows <- matrix(c(1:150, rev(1:150)), 2, byrow = TRUE)
  found <- wam(iris[1:4], iris$Species, row_indices = rows, cores = 2, progress = FALSE)
  expect_identical(found$combined[1, ], found$combined[2, ])
  expect_identical(quick(iris[1:4], iris$Species, cores = 2)$combined,
                   quick(iris[1:4], iris$Species)$combined)
  expect_error(
    wam(iris[1:4], iris$Species, row_indices = matrix(0:149, 1), progress = FALSE),
    class = "pyfsagg_error"
  )
})

test_that("an R function is a filter", {
  skip_without_pyfsagg()
  mean_of <- function(x, y, weight) colSums(x * weight) / sum(weight)
  found <- quick(iris[1:4], iris$Species, filter = mean_of, n_resamples = 5)
  expect_identical(found$ranking$feature[1], "Sepal.Length")
  expect_error(quick(iris[1:4], iris$Species, filter = mean_of, cores = 2), "one core")
  expect_error(
    quick(iris[1:4], iris$Species, filter = function(x, y, w) stop("no scores today")),
    "no scores today", class = "pyfsagg_data_error"
  )
})

test_that("between-aggregation takes several filters", {
  skip_without_pyfsagg()
  found <- bam(Species ~ ., data = iris, filters = c("information_gain", "chi_squared"),
               n_resamples = 10, seed = 1, progress = FALSE)
  expect_named(found$score_matrices, c("information_gain", "chi_squared"))
  expect_output(print(found), "Between-aggregation")
})

test_that("a result survives a file, and its methods need no Python", {
  skip_without_pyfsagg()
  found <- quick(Species ~ ., data = iris)
  file <- tempfile()
  saveRDS(found, file)
  read <- readRDS(file)
  expect_identical(read, found)
  expect_output(print(read), "Within-aggregation")
  expect_identical(selected(read, 2), read$ranking$feature[1:2])
  expect_identical(selected(read, 0.3), read$ranking$feature[1:2])
  expect_error(selected(read, 9), "from 1 to 4", class = "pyfsagg_parameter_error")
  expect_identical(as.data.frame(read), read$ranking)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(nrow(plot(read)), 4L)
  expect_output(print(summary(read)), "resamples agree")
})

test_that("a checkpoint is continued from, and refused for another run", {
  skip_without_pyfsagg()
  folder <- tempfile("checkpoint")
  first <- quick(iris[1:4], iris$Species, seed = NULL, checkpoint = folder)
  again <- quick(iris[1:4], iris$Species, seed = NULL, checkpoint = folder)
  expect_identical(again$scores, first$scores)
  expect_true(file.exists(file.path(folder, "checkpoint.json")))
  expect_error(quick(iris[1:3], iris$Species, seed = NULL, checkpoint = folder),
               class = "pyfsagg_parameter_error")
})
