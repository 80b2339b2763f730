encoded <- function() {
  set.seed(1)
  colour <- sample(c("blue", "green", "red"), 60, replace = TRUE)
  shape <- sample(c("a", "b"), 60, replace = TRUE)
  table <- data.frame(
    stats::model.matrix(~ colour - 1), stats::model.matrix(~ shape - 1), size = stats::rnorm(60)
  )
  list(x = table, y = ifelse(stats::runif(60) < ifelse(colour == "red", 0.9, 0.2), "yes", "no"),
       plain = data.frame(colour, shape, size = table$size))
}
colours <- c("colourblue", "colourgreen", "colourred")
shapes <- c("shapea", "shapeb")

test_that("one-hot columns score as the factor that they encode", {
  skip_without_pyfsagg()
  data <- encoded()
  rows <- draw_resamples(60, 10, seed = 1)
  groups <- list(colour = colours, shape = shapes)
  for (filter in c("information_gain", "chi_squared", "mrmr")) {
    found <- quick(data$x, data$y, filter = filter, row_indices = rows, feature_groups = groups)
    expected <- quick(data$plain, data$y, filter = filter, row_indices = rows)
    expect_identical(found$combined, expected$combined)
    expect_identical(found$scores, expected$scores)
  }
  expect_identical(found$groups, groups)
  expect_identical(selected(found, 3, columns = TRUE), unlist(lapply(
    selected(found, 3), function(name) switch(name, colour = colours, shape = shapes, name)
  )))
  expect_identical(expected$groups, list())
  expect_identical(selected(expected, 2, columns = TRUE), selected(expected, 2))
  expect_equal(found$ranking$n_columns[match(c("colour", "size"), found$ranking$feature)], c(3L, 1L))
})

test_that("groups are written as a list, a vector, a data frame, a rule or a file", {
  skip_without_pyfsagg()
  data <- encoded()
  groups <- stats::setNames(rep(c("colour", "shape"), c(3, 2)), c(colours, shapes))
  frame <- data.frame(column = names(groups), group = unname(groups))
  file <- tempfile(fileext = ".csv")
  utils::write.csv(frame, file, row.names = FALSE)
  rule <- stats::setNames(data$x, sub("colour", "colour=", sub("shape", "shape=", names(data$x))))
  of <- function(x, given, ...) quick(x, data$y, filter = "fit_criterion", feature_groups = given, ...)
  expected <- of(data$x, list(colour = colours, shape = shapes))
  for (given in list(list(colour = 1:3, shape = 4:5), groups, factor(groups), frame, file)) {
    expect_identical(of(data$x, given)$scores, expected$scores)
  }
  expect_identical(names(of(rule, "prefix:=")$scores), names(expected$scores))
  alone <- of(data$x, list(number = "size"))
  expect_identical(names(alone$scores), c(colours, shapes, "number"))
  mean <- of(data$x, groups, group_score = "mean")
  expect_lt(mean$scores[["colour"]], expected$scores[["colour"]])
  expect_match(mean$about_groups, "single columns are selected more often")
  expect_output(print(mean), "Features have 1 to 3 columns")
})

test_that("what is no group is refused", {
  skip_without_pyfsagg()
  data <- encoded()
  of <- function(given, ...) quick(data$x, data$y, feature_groups = given, ...)
  expect_error(of(list(colours)), "feature_groups must be a named list of columns")
  expect_error(of(character()), "feature_groups must be a named list of columns")
  expect_error(of(list(colour = c("colourred", "colorblue"))), "did you mean 'colourblue'")
  expect_error(of(list(colour = c("colourred", NA))), "feature_groups")
  expect_error(of("prefix:"), "names no separator")
  expect_error(of("nowhere.csv"), "no such file")
  expect_error(of(list(colour = colours), group_score = "sum"), "group_score must be one of")
  expect_error(quick(data$x, data$y, group_score = "max"), "there are no groups")
})
