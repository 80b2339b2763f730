test_that("selections are put to the vote", {
  skip_without_pyfsagg()
  selections <- c(rep(list(c("a", "b")), 3), list("c"), list(c("c", "d")), list(character()))
  found <- vote_features(selections)
  expect_identical(found$ranking$feature, c("a", "b", "c", "d"))
  expect_equal(found$ranking$votes, c(3, 3, 2, 1))
  expect_equal(found$ranking$rank, c(1.5, 1.5, 3, 4))
  expect_identical(as.logical(found$ranking$tied), c(TRUE, TRUE, FALSE, FALSE))
  expect_null(found$front)
  expect_match(found$sentences, "1 voter selected nothing", all = FALSE)
  both <- vote_features(selections, "phragmen")
  expect_identical(both$ranking$feature[1:2], c("a", "c"))
})

test_that("a matrix votes as its selections, or as its best", {
  skip_without_pyfsagg()
  lists <- list(c("a", "b"), "b", c("a", "c"))
  support <- t(vapply(lists, function(one) letters[1:3] %in% one, logical(3)))
  colnames(support) <- letters[1:3]
  expected <- vote_features(lists)$ranking
  expect_equal(vote_features(support)$ranking, expected)
  expect_equal(vote_features(support + 0)$ranking, expected)
  scores <- matrix(c(3, 2, 1, 0, 5, 4), 2, byrow = TRUE, dimnames = list(NULL, letters[1:3]))
  expect_equal(vote_features(scores, n_features_to_select = 2)$ranking$votes, c(2, 1, 1))
  expect_error(vote_features(list(c("a", "a"))), "occurs twice", class = "pyfsagg_data_error")
})

test_that("performance weighs, and has a front with a knee", {
  skip_without_pyfsagg()
  selections <- list("a", c("a", "b"), c("a", "b", "c"), "d")
  found <- vote_features(
    selections, voter_weights = "performance", performance = c(0.5, 0.9, 1, NA), learners = c("x", "x", "y", "y")
  )
  expect_equal(found$ranking$score, c(2.4, 1.9, 1, 0))
  expect_identical(found$knee$n_features, 2L)
  expect_equal(found$knee$performance, 0.9)
  expect_identical(found$learners$learner, c("all voters", "x", "y"))
  expect_equal(vote_features(selections, voter_weights = c(2, 0, 0, 1))$ranking$score[1:2], c(2, 1))
})

test_that("what is wrong with a vote is said", {
  skip_without_pyfsagg()
  expect_error(vote_features("a"), "list of character vectors", class = "pyfsagg_error")
  expect_error(vote_features(list()), "no voter", class = "pyfsagg_data_error")
  expect_error(vote_features(list("a"), "majority"), "majority", class = "pyfsagg_error")
  expect_error(vote_features(list("a"), voter_weights = -1), "not negative", class = "pyfsagg_parameter_error")
  expect_error(vote_features(list("a"), voter_weights = NA), "voter_weights must be NULL, \"performance\"", class = "pyfsagg_parameter_error")
  expect_error(vote_features(list("a"), voter_weights = "size"), "voter_weights must be", class = "pyfsagg_parameter_error")
  expect_error(vote_features(list("a", "b"), feature_names = "a"), "feature_names", class = "pyfsagg_data_error")
})
