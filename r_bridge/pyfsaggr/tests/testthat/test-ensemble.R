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
  found$about_copies <- clusters(found, n_features_to_select = 3)$note[1]
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

test_that("R functions are filters everywhere", {
  skip_without_pyfsagg()
  mean_of <- function(x, y, weight) colSums(x * weight) / sum(weight)
  found <- quick(iris[1:4], iris$Species, filter = mean_of, n_resamples = 5)
  expect_identical(found$ranking$feature[1], "Sepal.Length")
  expect_identical(quick(iris[1:4], iris$Species, filter = mean_of, n_resamples = 5, cores = 2)$combined,
                   found$combined)
  expect_error(
    quick(iris[1:4], iris$Species, filter = function(x, y, w) stop("no scores today")),
    "no scores today", class = "pyfsagg_data_error"
  )
  several <- bam(iris[1:4], iris$Species, list("mrmr", mean = mean_of, function(x, y, w) -mean_of(x, y, w)),
                 n_resamples = 3, seed = 1, cores = 2, progress = FALSE)
  expect_named(several$score_matrices, c("mrmr", "mean", "r_function_2"))
  by_fold <- aggregator_influence(iris[1:4], iris$Species, mean_of, "rra", n_folds = 3, n_resamples = 3,
                                  seed = 1, progress = FALSE)
  expect_true(all(by_fold$ranks[[1]][, "Sepal.Length"] == 1))
  worth <- evaluate(iris[1:4], iris$Species, list(mean = mean_of), "naive_bayes", 0.5, n_resamples = 3,
                    n_folds = 2, seed = 1, progress = FALSE)
  expect_true("mean" %in% worth$summary$method)
})

test_that("an interrupt in an R function is an interrupt of R", {
  skip_without_pyfsagg()
  met <- function(...) {
    tryCatch(quick(iris[1:4], iris$Species, ...), interrupt = function(e) "interrupt", error = conditionMessage)
  }
  stop_it <- function(...) stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  expect_identical(met(filter = stop_it), "interrupt")
  expect_identical(quick(iris[1:2], iris$Species)$ranking$rank, c(1, 2))
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
  own <- function(x, y, weight = 1) abs(stats::cor(x, as.integer(factor(y)))[, 1])
  vote <- function(f) {
    committee(iris[1:4], iris$Species, list(mine = f), n_resamples = 3, seed = 1, checkpoint = tempfile())
  }
  for (run in list(vote, function(f) quick(iris[1:4], iris$Species, f, checkpoint = tempfile()))) {
    expect_error(run(own), 'structure\\(f, checkpoint_version = "1"\\) for a function f; or leave out checkpoint',
                 class = "pyfsagg_parameter_error")
    expect_silent(run(structure(own, checkpoint_version = "1")))
  }
})

test_that("formulas say what they say elsewhere in R", {
  skip_without_pyfsagg()
  run <- function(...) wam(..., n_resamples = 5, seed = 1, progress = FALSE)
  found <- run(factor(cyl) ~ log(disp) + hp:wt + poly(qsec, 2) + factor(gear):factor(am), data = mtcars)
  expect_setequal(names(found$scores), c("log(disp)", "hp:wt", "poly(qsec, 2)1", "poly(qsec, 2)2",
                                         "factor(gear):factor(am)"))
  expect_identical(run(Species ~ ., iris, Sepal.Length > 5)$scores,
                   run(iris[iris$Sepal.Length > 5, 1:4], iris$Species[iris$Sepal.Length > 5])$scores)
  gaps <- iris
  gaps$Sepal.Width[1:10] <- NA
  expect_identical(run(Species ~ ., gaps, na.action = na.omit)$data$n_samples, 140L)
  expect_identical(run(Species ~ ., gaps)$data$n_samples, 150L)
  expect_length(run(~ ., iris[1:4], filter = "laplacian_score")$scores, 4L)
  numbers <- run(log(Sepal.Length) ~ Petal.Length + Petal.Width, iris, filter = "pearson", task = "regression")
  expect_identical(numbers$data$target, "log(Sepal.Length)")
})

test_that("a function na.action is called with the variables, as by model.frame()", {
  parts <- function(formula, ...) pyfsaggr:::formula_parts(formula, airquality, ...)
  filled <- function(frame) {
    for (j in seq_along(frame)) {
      if (is.numeric(frame[[j]])) frame[[j]][is.na(frame[[j]])] <- stats::median(frame[[j]], na.rm = TRUE)
    }
    frame
  }
  formula <- factor(Temp > 80) ~ log(Ozone) + Solar.R:Wind + poly(Day, 2)
  theirs <- stats::model.frame(formula, airquality, na.action = filled)
  for (action in list(filled, "filled")) {
    if (is.character(action)) assign(action, filled, globalenv())
    found <- parts(formula, na.action = action)
    expect_identical(found$x[["log(Ozone)"]], theirs[["log(Ozone)"]])
    expect_identical(found$x[["Solar.R:Wind"]], theirs$Solar.R * theirs$Wind)
    expect_identical(found$rows, seq_len(153))
  }
  rm("filled", envir = globalenv())
  last <- function(frame) utils::tail(frame, 20)
  found <- parts(Temp ~ Ozone + Wind, na.action = last, subset = 100:1)
  expect_identical(found$rows, 20:1)
  expect_identical(found$y, airquality$Temp[20:1])
  expect_identical(parts(Temp ~ Ozone + Wind, na.action = na.exclude)$rows, which(!is.na(airquality$Ozone)))
  expect_identical(parts(Temp ~ Ozone + Wind, na.action = na.pass)$rows, seq_len(153))
  refuse <- function(action, text, kind = "data") {
    expect_error(parts(Temp ~ Ozone + Wind, na.action = action), text, class = paste0("pyfsagg_", kind, "_error"))
  }
  refuse(na.fail, "na.fail")
  refuse(function(frame) 1, "must return the data frame")
  refuse(function(frame) frame[1:2], "other columns")
  refuse(function(frame) stop("no way"), "na.action failed: no way")
  refuse("nowhere", "na.action must be a function", kind = "parameter")
  old <- options(na.action = "na.fail")
  on.exit(options(old))
  refuse(NULL, "na.fail")
})

test_that("values that haven declares to be missing are missing", {
  declared <- function(values, ...) {
    structure(values, ..., class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
  }
  plain <- data.frame(a = c(1, NA, 3, 4, NA), b = c(2, 7, 1, 8, 2))
  table <- plain
  table$a <- declared(c(1, 99, 3, 4, 98), na_values = c(98, 99))
  ranges <- plain
  ranges$a <- declared(c(1, 99, 3, 4, NA), na_range = c(90, Inf))
  for (each in list(table, ranges)) {
    expect_identical(pyfsaggr:::table_parts(each), pyfsaggr:::table_parts(plain))
    expect_identical(pyfsaggr:::formula_parts(b ~ a + log(a), each), pyfsaggr:::formula_parts(b ~ a + log(a), plain))
    omitted <- pyfsaggr:::formula_parts(b ~ a, each, na.action = na.omit)
    expect_identical(omitted$rows, c(1L, 3L, 4L))
    expect_identical(pyfsaggr:::target_parts(each$a, task = "regression")$values, plain$a)
    expect_error(pyfsaggr:::read_setting(each$a, "weights", 5L, "a"), "weights: NA says nothing")
  }
})

test_that("limits on false selections have a picture", {
  skip_without_pyfsagg()
  found <- quick(Species ~ ., iris)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (limit in list(list(fdr = 0.1), list(max_false = 1))) {
    control <- do.call(error_control, c(list(found), limit))
    expect_identical(control$level, limit[[1]])
    expect_identical(nrow(plot(control)), 4L)
    skip_if_not_installed("ggplot2")
    drawn <- ggplot2::ggplot_build(ggplot2::autoplot(control))$data
    expect_equal(drawn[[1]]$x, control$table[[4]])
    expect_identical(drawn[[length(drawn)]]$xintercept, limit[[1]])
  }
})

test_that("interactions are those of model.matrix()", {
  columns <- function(formula, data = mtcars) pyfsaggr:::formula_parts(formula, data)$x
  table <- transform(mtcars, g = factor(gear), h = am == 1)
  for (term in c("wt:g", "h:g:wt", "g:wt:poly(qsec, 2)", "wt:hp")) {
    theirs <- model.matrix(reformulate(term, intercept = FALSE), table)
    ours <- columns(reformulate(term, "cyl"), table)
    expect_setequal(names(ours), colnames(theirs))
    expect_equal(as.matrix(ours), theirs[, names(ours), drop = FALSE], ignore_attr = TRUE)
  }
  factors <- columns(cyl ~ g:h, table)
  expect_identical(factors, data.frame(`g:h` = interaction(table$g, table$h, drop = TRUE, sep = ":"), check.names = FALSE))
  table$g[2] <- NA
  expect_identical(which(is.na(columns(cyl ~ wt:g, table)[[1]])), 2L)
  table$day <- Sys.Date() + seq_len(32)
  expect_error(columns(cyl ~ wt:day, table), "'day' contains dates", class = "pyfsagg_data_error")
})

test_that("a number within the levels of a factor that says nothing scores nothing", {
  skip_without_pyfsagg()
  set.seed(1)
  table <- data.frame(x = rnorm(200), noise = rnorm(200), g = factor(sample(letters[1:4], 200, TRUE)))
  table$y <- factor(table$x + rnorm(200) > 0)
  scores <- quick(y ~ x + noise:g, table)$scores
  expect_named(scores, c("x", paste0("noise:g", letters[1:4])))
  expect_gt(scores[["x"]], 2 * max(scores[-1]))
})

test_that("columns keep what they mean", {
  skip_without_pyfsagg()
  y <- iris$Species == "setosa"
  number <- as.integer(cut(iris$Sepal.Length, 5))
  as_numbers <- whole(data.frame(a = number, b = iris$Petal.Width), y, filter = "spearman")
  table <- data.frame(a = factor(number, ordered = TRUE), b = iris$Petal.Width)
  expect_identical(whole(table, y, filter = "spearman"), as_numbers)
  table$a <- scale(number)
  expect_equal(whole(table, y, filter = "spearman"), as_numbers)
  expect_identical(quick(iris[1:4], matrix(as.character(iris$Species)))$scores,
                   quick(iris[1:4], as.character(iris$Species))$scores)
})

test_that("integers of 64 bits are the numbers that they show", {
  skip_if_not_installed("bit64")
  shown <- c(0, 1, -1, 2^31, -2^31, 2^40 + 7, -2^40 - 7, NA, 2^53 - 1)
  expect_identical(pyfsaggr:::from_integer64(bit64::as.integer64(shown)), shown)
})

test_that("sparse matrices are taken where a filter reads them", {
  skip_without_pyfsagg()
  skip_if_not_installed("Matrix")
  dense <- cbind(a = rep(0:3, length.out = 60), b = rep(c(0, 0, 2), 20), c = c(rep(0, 50), 1:10))
  y <- rep(c("u", "v"), 30)
  run <- function(x) wam(x, y, "chi_squared", n_resamples = 5, seed = 1, progress = FALSE)$scores
  expect_equal(run(Matrix::Matrix(dense, sparse = TRUE)), run(dense))
})

test_that("resamples can be shared by runs on different columns", {
  skip_without_pyfsagg()
  set.seed(3)
  before <- .Random.seed
  rows <- draw_resamples(150, 5, seed = 2)
  expect_identical(.Random.seed, before)
  expect_identical(draw_resamples(150, 5, seed = 2), rows)
  few <- wam(iris[1:2], iris$Species, row_indices = rows, progress = FALSE)
  all <- wam(iris[1:4], iris$Species, row_indices = rows, progress = FALSE)
  expect_identical(few$combined[, 1], all$combined[, 1])
  by_class <- draw_resamples(150, 2, strata = iris$Species)
  expect_true(all(table(iris$Species[by_class[1, ]]) == 50))
})

test_that("whole doubles are whole numbers, n_resamples may be auto", {
  skip_without_pyfsagg()
  run <- function(bins) {
    quick(iris[1:4], iris$Species, filter = "chi_squared", filter_params = list(bins = bins))$scores
  }
  expect_identical(run(3), run(3L))
  auto <- wam(iris[1:4], iris$Species, n_resamples = "auto", seed = 1, progress = FALSE,
              precision = list(max_change = 0.5, top = 2, maximum = 100))
  expect_lte(nrow(auto$combined), 100L)
})

test_that("a result is written for Python and for a reader, and read again", {
  skip_without_pyfsagg()
  folder <- tempfile()
  page <- tempfile(fileext = ".html")
  found <- quick(iris[1:4], iris$Species, save = folder, report = page)
  expect_match(readLines(page, 1), "html")
  read <- load_result(folder)
  expect_identical(read$scores, found$scores)
  expect_identical(read$ranking, found$ranking)
})

test_that("the formula may be named, and so may x of influence()", {
  skip_without_pyfsagg()
  named <- wam(formula = Species ~ ., data = iris, n_resamples = 5, seed = 1, progress = FALSE)
  expect_identical(named$scores, quick(iris[1:4], iris$Species, n_resamples = 5)$scores)
  expect_identical(update(named, seed = 2)$parameters$seed, 2L)
  piped <- wam(iris, formula = Species ~ ., n_resamples = 5, seed = 1, progress = FALSE)
  expect_identical(update(piped)$scores, named$scores)
  found <- influence(x = iris[1:4], y = iris$Species, aggregators = "median_rank", n_folds = 3, n_resamples = 3,
                     seed = 1, progress = FALSE)
  expect_identical(dim(found$ranks[[1]]), c(3L, 4L))
  expect_error(bam(y = iris$Species), "x is missing", class = "pyfsagg_input_type_error")
})

test_that("update() runs again", {
  skip_without_pyfsagg()
  found <- wam(Species ~ ., data = iris, n_resamples = 5, seed = 1, progress = FALSE)
  expect_identical(deparse(found$call[[1]]), "wam")
  expect_identical(nrow(update(found, n_resamples = 7)$combined), 7L)
  expect_identical(update(found)$scores, found$scores)
})

test_that("bam() of mgcv is not masked", {
  expect_identical(deparse(body(between_aggregation)), deparse(body(bam)))
  code <- paste0(
    ".libPaths(c('", dirname(system.file(package = "pyfsaggr")), "', .libPaths())); library(mgcv); ",
    "library(pyfsaggr); cat(identical(bam, mgcv::bam), is.function(between_aggregation))"
  )
  skip_if_not_installed("mgcv")
  said <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE, stderr = FALSE)
  expect_identical(said, "TRUE TRUE")
})

test_that("plots name every feature, and take the texts of axes", {
  skip_without_pyfsagg()
  wide <- as.data.frame(matrix(sin(1:3400), 100))
  names(wide) <- paste0("a_feature_with_a_long_name_number_", 1:34, "_of_the_table")
  found <- quick(wide, rep(c("a", "b"), 50), n_resamples = 5)
  file <- tempfile(fileext = ".svg")
  grDevices::pdf(NULL)
  expect_identical(nrow(plot(found, n = 34, xlab = "mine", main = "title")), 34L)
  short <- pyfsaggr:::shorten(names(wide), 2, 0.7)
  expect_identical(anyDuplicated(short), 0L)
  grDevices::dev.off()
})

test_that("features are proposed with a reason, or none is", {
  skip_without_pyfsagg()
  set.seed(2)
  x <- as.data.frame(matrix(rnorm(80 * 8), 80))
  y <- factor(rep(c("a", "b"), 40))
  x$V1 <- x$V1 + 3 * (y == "b")
  found <- quick(x, y, filter = "fit_criterion", n_resamples = 30, seed = 1)
  expect_identical(selected(found), "V1")
  expect_identical(selected(found, "auto"), found$selection$features)
  expect_match(found$selection$reason, "1 of 8 features scores above what 999 shuffled targets reach")
  expect_match(found$selection$methods_text, "1 of 8 features scores above .* with the seed 1[.]$")
  expect_identical(found$ranking$status[1], "firm")
  expect_true(all(found$ranking$status[-1] == "indistinct"))
  expect_identical(selected(found, "knee"), "V1")
  expect_identical(error_control(found, fdr = 0.01)$selected, "V1")
  expect_output(print(found), "1 of 8 features scores above")
  expect_output(print(summary(found)), "the same features with shuffled targets")
  expect_identical(nrow(compare_runs(found, found)), 8L)
  expect_true(compare_runs(found, found)$selected_1[1])
  nothing <- quick(x[-1], y, filter = "fit_criterion", n_resamples = 30, seed = 1)
  expect_identical(selected(nothing), character())
  expect_match(nothing$selection$reason, "none of 7 features can be distinguished from noise")
  expect_output(print(nothing), "No feature is proposed")
  without <- quick(x, y, filter = "fit_criterion", n_resamples = 30, seed = 1, shuffles = 0)
  expect_match(without$selection$reason, "above noise: shuffles = 0.", fixed = TRUE)
  expect_identical(without$combined, found$combined)
  expect_error(selected(found, "all"), "\"auto\"", class = "pyfsagg_parameter_error")
  expect_error(clusters(found, n_features_to_select = "all"), "\"auto\"", class = "pyfsagg_error")
})

test_that("the functions have names that no other package has", {
  skip_without_pyfsagg()
  run <- function(what) what(iris[1:4], iris$Species, n_resamples = 5, seed = 1, progress = FALSE)$scores
  expect_identical(run(within_aggregation), run(wam))
  expect_identical(run(between_aggregation), run(bam))
})
