refused <- function(x, y = iris$Species, kind = "data", text) {
  expect_error(quick(x, y), text, class = paste0("pyfsagg_", kind, "_error"))
}

test_that("columns that cannot be features are refused by name", {
  table <- iris[1:4]
  table$odd <- as.list(seq_len(150))
  refused(table, text = "'odd' is a list")
  table$odd <- Sys.Date() + seq_len(150)
  refused(table, text = "'odd' contains dates")
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

test_that("formulas name columns that are there, and not the target", {
  refuse <- function(..., text, kind = "parameter") {
    expect_error(wam(..., n_resamples = 2), text, class = paste0("pyfsagg_", kind, "_error"))
  }
  refuse(Species ~ nowhere + Sepal.Width, data = iris, text = "names 'nowhere'")
  refuse(Species ~ Species + Petal.Width, data = iris, text = "both sides of the formula")
  refuse(Species ~ interaction(Species, Sepal.Width), data = iris, text = "both sides")
  refuse(Species ~ ., data = "iris", text = "data frame", kind = "input_type")
  refuse(Species ~ ., text = "give data")
  many <- 1:151
  refuse(many ~ Sepal.Width + Petal.Width, data = iris, text = "151 values for 150 rows", kind = "data")
})

test_that("what a formula says about a model is refused with what to write instead", {
  refuse <- function(formula, text) {
    expect_error(wam(formula, iris), text, class = "pyfsagg_parameter_error")
  }
  refuse(cbind(Sepal.Length, Sepal.Width) ~ Petal.Length + Petal.Width, "has 2 columns, and a target has one: .*rate")
  refuse(as.matrix(iris[1:3]) ~ Petal.Length + Petal.Width, "has 3 columns")
  refuse(Species ~ Sepal.Width + strata(Petal.Width), "has strata\\(\\), .*adjust =")
  refuse(Species ~ Sepal.Width + survival::cluster(Petal.Width), "has cluster\\(\\), .*groups =")
  refuse(Species ~ Sepal.Width + Petal.Length:frailty(Petal.Width), "has frailty\\(\\), .*groups =")
  refuse(Species ~ Sepal.Width + tt(Petal.Width), "has tt\\(\\)")
  refuse(Species ~ Sepal.Width + (1 | Petal.Width), "has \\(1 | Petal.Width\\), .*groups =")
  refuse(Species ~ Sepal.Width + offset(Petal.Width), "has offset\\(\\)")
  refuse(Species ~ Sepal.Width + stats::offset(Petal.Width), "has offset\\(\\)")
  either <- pyfsaggr:::formula_parts(Species ~ I(Sepal.Width > 3 | Petal.Width > 1), iris)$x
  expect_identical(as.vector(either[[1]]), iris$Sepal.Width > 3 | iris$Petal.Width > 1)
})

test_that("parameters are refused in one sentence, and misspelt ones too", {
  skip_without_pyfsagg()
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

test_that("numbers and words of R are looked at in R, and named in its words", {
  skip_without_pyfsagg()
  no <- function(text, ..., kind = "parameter") {
    failure <- tryCatch(quick(iris[1:4], iris$Species, ...), pyfsagg_error = identity)
    expect_match(conditionMessage(failure), text, fixed = TRUE)
    expect_s3_class(failure, paste0("pyfsagg_", kind, "_error"))
  }
  for (n in list(0, NA, NA_integer_, 2.5, "many", NULL, 1:2)) {
    no(paste0("n_resamples must be a whole number of at least 1 or \"auto\", got ", deparse(n)), n_resamples = n)
  }
  for (seed in list(NA, -1, 1.5, "a")) no(paste("seed must be a whole number of at least 0, got", deparse(seed)), seed = seed)
  for (cores in list(NA, "a", 0)) no(paste("cores must be a whole number of at least 1, got", deparse(cores)), cores = cores)
  for (flag in list(NA, "no")) {
    no("drop_near_zero_variance must be TRUE or FALSE, got", drop_near_zero_variance = flag)
  }
  expect_error(wam(iris[1:4], iris$Species, progress = NA), "progress must be TRUE or FALSE, got NA")
  no("checkpoint must be one word or path, got NA", checkpoint = NA)
  no("groups: NA is no group", groups = c(NA, 2:150), resampling = "grouped_bootstrap")
  no("groups must be one group for each of the 150 rows", groups = 1:3)
  no("weights must be one number for each of the 150 rows", weights = 1:3)
  no("weights: NA", weights = c(NA, rep(1, 149)))
  no("weights must be whole numbers from 0", weights = rep(0.5, 150))
  no("counts must be whole numbers from 0", counts = rep(0.5, 150))
  no("weights and counts cannot both be given", weights = rep(2, 150), counts = rep(2, 150))
  no("filter must be one name of list_methods('filters'), or a function (x, y, weight), got NULL", filter = NULL)
  no("filter must be one name", filter = 3)
  no("filter_params must be a named list, such as list(bins = 5), got list(3)", filter_params = list(3))
  no("filter_params must be a named list", filter_params = "mdl")
  no("row_indices must hold row numbers from 1 to 150", row_indices = matrix(2:151, 1))
  no("task must be one of \"classification\", \"regression\", \"survival\"", task = "regresion")
  no("nominal must be one or more names", nominal = 7)
  no("foo must be made of numbers, words, TRUE or FALSE, got y ~ x", foo = y ~ x)
  no("foo must be made of numbers, words, TRUE or FALSE, got", foo = Sys.Date())
  no("filter_params$bins must be made of numbers, words, TRUE or FALSE, got b", filter_params = list(bins = quote(b)))
  no("filter_params$bins must not be NA", filter_params = list(bins = NA))
})

test_that("targets are one column, and many numbers ask what they are", {
  no <- function(y, text, kind = "parameter") {
    expect_error(quick(iris[1:4], y), text, class = paste0("pyfsagg_", kind, "_error"))
  }
  no(iris[4:5], "y must be one column, got 2", "input_type")
  no(iris$Sepal.Length, "y holds 35 different numbers: use task = \"regression\"")
  no(structure(matrix(1, 150, 3), type = "counting", class = "Surv"), "type 'counting'.*late entry", "data")
  expect_error(quick(iris[1:4], iris$Species, task = "survival"), "Surv\\(time, status\\)")
  expect_error(wam(Sepal.Length ~ ., data = iris), "or give factor", class = "pyfsagg_parameter_error")
  no(1:150, "150 different numbers")
  expect_error(quick(iris[1], iris$Species), "at least two", class = "pyfsagg_data_error")
  expect_error(quick(iris[0, 1:4], iris$Species[0]), "0 sample", class = "pyfsagg_data_error")
})

test_that("columns that say nothing or everything are told", {
  skip_without_pyfsagg()
  told <- function(x, text) expect_warning(quick(x, iris$Species), text, class = "pyfsagg_warning")
  told(cbind(iris[1:4], k = 1), "constant: 'k'")
  told(iris, "'Species' is the same as y")
  expect_silent(quick(cbind(iris[1:4], k = 1), iris$Species, drop_near_zero_variance = TRUE))
})

test_that("what Python refuses is said in the words of R", {
  skip_without_pyfsagg()
  said <- function(...) tryCatch(quick(iris[1:4], iris$Species, ...), pyfsagg_error = conditionMessage)
  python <- "random_state|sample_weight|n_jobs|NaN|None|True|False|callable|pyfsagg\\.|shape=|'|0x"
  said_all <- c(
    said(resampling = "grouped_bootstrap"), said(n_resamples = 3, precision = list(maximum = 5)),
    tryCatch(quick(cbind(a = c(Inf, 1:149), b = 1:150), iris$Species), pyfsagg_error = conditionMessage)
  )
  expect_false(any(grepl(sub("\\|'", "", python), said_all)), info = paste(said_all, collapse = "\n"))
  expect_match(said_all[1], "groups")
  expect_error(
    aggregator_influence(iris[1:4], iris$Species, precision = list(top = 2), n_folds = 3),
    "unknown argument 'precision'", class = "pyfsagg_unknown_name_error"
  )
  expect_match(said_all[3], "infinite value in row 1; replace")
})

test_that("stability asks where a collection can be read in two ways", {
  skip_without_pyfsagg()
  no <- function(..., text, kind = "parameter") {
    expect_error(stability(...), text, class = paste0("pyfsagg_", kind, "_error"))
  }
  scores <- matrix(sin(1:40), 5)
  expect_error(stability(scores, tpo = 2), "unused argument")
  no(scores, n_features_to_select = -1, text = "n_features_to_select .* must be a whole number")
  no((scores > 0) + 0, text = "say input = \"sets\"")
  no(list(c(TRUE, FALSE), TRUE), text = "different lengths", kind = "data")
  no(scores, confidence_level = 2, text = "level must be above 0 and below 1")
  no(scores, "yu", similarity = 1:3, text = "similarity must be a square matrix")
})

test_that("what is compared with R packages is named", {
  expect_error(cross_check(5), "package must be one or more names", class = "pyfsagg_parameter_error")
  expect_error(cross_check(n_resamples = 0.5), "n_resamples must be a whole", class = "pyfsagg_parameter_error")
})
