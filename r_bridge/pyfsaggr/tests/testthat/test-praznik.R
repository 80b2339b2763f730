# Values of praznik 13.0.0 and FSelectorRcpp 0.3.13 on iris with a column of each other type, on R 4.2.2.
table <- cbind(iris[1:4], whole = rep(1:5, 30), yes = iris$Sepal.Width > 3, level = factor(rep(letters[1:3], 50)), same = 1)
few <- table[names(table) != "yes"]

test_that("filters under praznik's names select what praznik selects", {
  skip_without_pyfsagg()
  expected <- list(
    CMIM = list(c(4, 1, 3, 2, 6, 7), c(0.9893676236, 0.05076604611, 0.04369566243, 0.02446418413, 0.004135931232, 0.0004027483149)),
    DISR = list(c(4, 8, 3, 6, 1, 2, 7, 5), c(0.9893676236, 0.4608422148, 0.7846596861, 0.8767796478, 1.00454497, 1.000996707,
                                             0.9488583986, 0.9068775777)),
    JMI = list(c(4, 1, 3, 2, 5, 6, 7, 8), c(0.9893676236, 1.04013367, 2.021126815, 2.812842011, 3.10785408, 3.220605809, 3.124893392,
                                            2.918345152)),
    JMIM = list(c(4, 1, 3, 2, 5, 6, 7), c(0.9893676236, 1.04013367, 0.9880635289, 0.8313703455, 0.4618166864, 0.2341866144,
                                          0.009712313323)),
    MIM = list(c(4, 3, 1, 2, 6, 7), c(0.9893676236, 0.93646137, 0.5059307646, 0.305526937, 0.1806557089, 0.0004027483149)),
    MRMR = list(c(4, 8, 3, 6, 1, 7, 2, 5), c(0.9893676236, 0, 0.3913877252, 0.01413200086, 0.07105162968, -0.02223945003,
                                             -0.04816937723, -0.07956001891)),
    NJMIM = list(c(4, 8, 3, 1, 6, 2, 7), c(0.9893676236, 0.4608422148, 0.346002453, 0.1836724153, 0.1125297464, 0.1052537208,
                                           0.0001833322619))
  )
  for (name in names(expected)) {
    places <- as.integer(expected[[name]][[1]])
    of_names <- function(values) stats::setNames(values, names(table)[places])
    found <- get(name)(table, iris$Species, k = 8)
    expect_identical(found$selection, of_names(places), info = name)
    expect_equal(found$score, of_names(expected[[name]][[2]]), tolerance = 1e-9, info = name)
    first <- get(name)(table, iris$Species)
    expect_equal(first, lapply(found, utils::head, 3), info = name)
  }
  expect_identical(MRMR(table, iris$Species, positive = TRUE)$selection, c(Petal.Width = 4L))
  expect_equal(MRMR(table[-1], iris$Sepal.Length, k = 2), tolerance = 1e-9, list(
    selection = c(Petal.Length = 2L, whole = 4L), score = c(Petal.Length = 0.8987846057, whole = 0.05486872088)
  ))
  expect_equal(miScores(few, iris$Species), tolerance = 1e-9, stats::setNames(
    c(0.5059307646, 0.305526937, 0.93646137, 0.9893676236, 0, 0.0004027483149, 0), names(few)
  ))
  nothing <- expand.grid(a = 1:4, b = 1:4)
  expect_identical(lengths(JMI(stats::setNames(nothing[c(2, 2)], c("a", "b")), rep(c(TRUE, FALSE), 8), k = 1)), c(selection = 0L, score = 0L))
  expect_error(MRMR(iris[-5], iris$Species, k = 9), "at most the number of features, 4", class = "pyfsagg_parameter_error")
})

test_that("information_gain() and cut_attrs() are those of FSelectorRcpp", {
  skip_without_pyfsagg()
  expected <- list(
    infogain = c(0.4521286062, 0.2672750111, 0.9402853426, 0.9554359784, 0, 0.0004027483149, 0),
    gainratio = c(0.419646361, 0.2472971681, 0.8584937441, 0.8713691783, 0, 0.0003665973147, 0),
    symuncert = c(0.4155562981, 0.2452742707, 0.8571871881, 0.8705214182, 0, 0.0003665973147, 0)
  )
  data <- cbind(few, Species = iris$Species)
  for (type in names(expected)) {
    found <- information_gain(Species ~ ., data, type = type)
    expect_equal(found, data.frame(attributes = names(few), importance = expected[[type]]), tolerance = 1e-9)
    expect_identical(information_gain(x = few, y = iris$Species, type = type), found)
  }
  expect_gt(information_gain(x = few, y = rep(1:5, 30), discIntegers = FALSE)$importance[5], 1)
  by_number <- information_gain(Sepal.Length ~ Petal.Width + whole, data, equal = TRUE, nbins = 4)
  expect_equal(by_number$importance, c(0.5325356307, 0), tolerance = 1e-9)
  absent <- replace(iris$Species, 1:3, NA)
  expect_warning(found <- information_gain(x = few, y = absent), "without a class")
  expect_identical(found, information_gain(x = few[-(1:3), ], y = absent[-(1:3)]))
  expect_error(information_gain(few, iris$Species), "by their names", class = "pyfsagg_parameter_error")
  best <- c("Petal.Width", "Petal.Length", "Sepal.Length", "Sepal.Width")
  gains <- information_gain(Species ~ ., iris)
  for (asked in list(c(0.5, 2), c(3, 3), c(0.1, 1), c(9, 4), c(2.7, 2), c(1, 1))) {
    expect_identical(cut_attrs(gains, asked[1]), best[seq_len(asked[2])])
  }
})

test_that("functions of other packages are attached on demand, and hide none before", {
  dropins <- lapply(c("stabm", "praznik", "FSelectorRcpp"), compatible_names)
  expect_length(unlist(dropins), 32L)
  expect_length(intersect(unlist(dropins), getNamespaceExports("pyfsaggr")), 0L)
  expect_identical(attach_compatible("praznik"), dropins[[2]])
  on.exit(detach("pyfsaggr:praznik", character.only = TRUE))
  attach_compatible("praznik") # once
  expect_identical(sum(search() == "pyfsaggr:praznik"), 1L)
  expect_identical(get("MRMR", "pyfsaggr:praznik"), MRMR)
  expect_error(attach_compatible("caret"), "package must be one of", class = "pyfsagg_parameter_error")
})
