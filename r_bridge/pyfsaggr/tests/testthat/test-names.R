# Arguments with the same names in another order: the result of the names, or an error.
table <- mtcars[c("mpg", "disp", "wt", "gear")]
classes <- stats::setNames(factor(mtcars$am), rownames(mtcars))
other_order <- function(expr, what) {
  expect_error(expr, paste(what, "in another order"), class = "pyfsagg_data_error")
}

test_that("rows are matched by place, and names of rows that say another order are refused", {
  skip_without_pyfsagg()
  counts <- stats::setNames(rep(1:2, 16), rownames(mtcars))
  for (run in list(
    quick, function(x, y, ...) score_features(x, y, ...), function(x, y, ...) bam(x, y, n_resamples = 2, ...),
    function(x, y, ...) committee(x, y, n_resamples = 2, ...), function(x, y, ...) evaluate(x, y, n_folds = 2, ...)
  )) {
    other_order(run(table, rev(classes)), "y has the names of x")
    other_order(run(table, unname(classes), weights = rev(counts)), "weights has the names of x")
  }
  expect_identical(quick(table, classes)$scores, quick(table, unname(classes))$scores)
  rows <- c(2, 2, 5, 7, 30)
  expect_silent(pyfsaggr:::same_order(list(x = table[rows, ], y = classes[rows], none = NULL)))
})

test_that("values beside lists, guides, groups and voters keep their names", {
  skip_without_pyfsagg()
  lists <- list(a = c("x", "y", "z"), b = c("y", "z", "x"), c = c("z", "x", "y"))
  three <- c(c = 1, b = 1, a = 3)
  expect_identical(aggregate_ranks(lists, weights = three[3:1]), aggregate_ranks(lists, weights = c(3, 1, 1)))
  other_order(aggregate_ranks(lists, weights = three), "weights has the names of glist")
  other_order(aggregate_ranks(lists, N = 10 * three), "N has the names of glist")
  other_order(aggregate_ranks(lists, topCutoff = three / 4), "topCutoff has the names of glist")
  other_order(rank_table(lists, weights = three), "weights has the names of x")
  other_order(vote_features(lists, voter_weights = three), "voter_weights has the names of selections")
  other_order(vote_features(lists, performance = three), "performance has the names of selections")
  other_order(aggregate_groups(three, rev(three)), "groups has the names of scores")
  other_order(screen_genes(three, rev(three)), "genes has the names of scores")
  other_order(pareto_front(three, rev(three)), "accuracy has the names of stability")
  other_order(weighted_average_accuracy(three, rev(three) / 4), "thresholds has the names of accuracy")
  cover <- structure(diag(3), dimnames = list(letters[1:3], letters[1:3]))
  other_order(rank_confidence(three, cover), "covariance has the names of estimates")
})

test_that("what R functions return is matched to the columns by its names", {
  skip_without_pyfsagg()
  plain <- function(x, y, weight) abs(stats::cor(x, as.integer(factor(y)))[, 1])
  sorted <- function(...) sort(plain(...))
  expect_identical(quick(table, classes, sorted)$scores, quick(table, classes, plain)$scores)
  expect_identical(quick(table, classes, function(...) unname(plain(...)))$scores, quick(table, classes, plain)$scores)
  some <- function(x, y, weight) c(mpg = 1, disp = 2, wt = 3, other = 4)
  expect_error(quick(table, classes, some), "names of some columns", class = "pyfsagg_data_error")
  votes <- function(learner) committee(table, classes, list(mine = learner), n_resamples = 3, seed = 1)$ranking
  expect_identical(votes(function(x, y) sort(plain(x, y))), votes(plain))
  scores <- quick(table, classes)$combined
  expect_identical(adequacy(scores, aggregator = function(s) sort(colMeans(s)), seed = 1)$table,
                   adequacy(scores, aggregator = colMeans, seed = 1)$table)
  filter <- structure(plain, checkpoint_version = "1")
  place <- tempfile()
  first <- quick(table, classes, filter, checkpoint = place)
  expect_identical(quick(table, classes, filter, checkpoint = place)$scores, first$scores)
})

test_that("features are matched by name between tables, matrices, lists and rankings", {
  skip_without_pyfsagg()
  rows <- draw_resamples(32, 10, seed = 1)
  result <- quick(table, classes, row_indices = rows)
  back <- quick(table[4:1], classes, row_indices = rows)
  expect_equal(result$scores, back$scores[names(table)])
  unlike <- quick(table, rev(unname(classes)), row_indices = rows)$combined
  pair <- function(compare) attr(stability(result, "jaccard", compare = compare, paired = TRUE), "pair")$sentences
  expect_identical(pair(unlike[, 4:1]), pair(unlike))
  flags <- list(c(a = TRUE, b = FALSE, c = FALSE), c(b = FALSE, c = FALSE, a = TRUE))
  expect_identical(stability(flags, "jaccard", interval = NULL)$value, 1)
  expect_identical(clusters(result, table[4:1]), clusters(result, table))
  expect_identical(compare_runs(result, back)$moved, rep(0, 4))
  curve <- function(ranking, x = table) {
    clustering_curve(x, classes, list(mine = ranking), sizes = 2, n_trials = 2, seed = 1)$nmi
  }
  expect_identical(curve(rev(result$scores)), curve(result$scores))
  expect_identical(curve(unname(result$scores)), curve(result$scores))
  moved <- frcm(table[4:1], n_clusterings = 5, seed = 1)
  expect_identical(curve(moved), curve(stats::setNames(moved$scores, names(table)[4:1])))
  worth <- function(ranking, rows = 1:20) {
    evaluate(table, classes, "chi_squared", "naive_bayes", 0.5, protocol = "thesis", n_resamples = 2, n_folds = 2,
             seed = 1, rankings = list(mine = ranking), ranking_rows = rows)$summary
  }
  expect_identical(worth(rev(result$scores)), worth(result$scores))
  expect_identical(worth(result$scores, 1:32 <= 20), worth(result$scores))
  expect_error(worth(result$scores, 0:5), "row numbers from 1 to 32", class = "pyfsagg_parameter_error")
})
