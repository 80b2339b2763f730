study <- function(z, ...) {
  data.frame(logFC = z, PValue = 2 * pnorm(-abs(z)), row.names = paste0("g", seq_along(z)), ...)
}

test_that("studies are read with their row names, and give what they have in common", {
  skip_without_pyfsagg()
  z <- qnorm(ppoints(50))
  tables <- list(a = study(replace(z, 1, 6)), b = study(replace(rev(z), 1, 6)), c = study(replace(z[order(sin(1:50))], 2, 9)))
  found <- studies(tables)
  expect_identical(found$table$item[1], "g1")
  expect_identical(found$table$carried_by[1], "a, b")
  expect_identical(found$table$at_least[found$table$item == "g2"] < 2, TRUE)
  expect_match(found$sentences[1], "1 item of 50 in at least 2 of 3 studies")
  long <- do.call(rbind, Map(function(name, one) cbind(one, gene = rownames(one), study = name), names(tables), tables))
  expect_equal(studies(long, study = "study")$table$p_value, found$table$p_value)
  by_t <- lapply(tables, function(one) data.frame(t = one$logFC, row.names = rownames(one)))
  ranks <- studies(by_t, evidence = "ranks")
  expect_identical(nrow(ranks$table), 50L)
  expect_warning(studies(list(a = tables$a, b = tables$a)), "a and b agree where most items are null")
  expect_error(studies(unname(tables)), "named list of data frames")
  expect_error(studies(list(a = data.frame(x = 1), b = data.frame(x = 1))), "names of items; it has x")
})

test_that("halves of lists tell rules apart, and sets that share members are similar", {
  skip_without_pyfsagg()
  scores <- matrix(sin(1:120) + rep(1:15 / 4, 8), 15, dimnames = list(letters[1:15], NULL))
  found <- influence_of_lists(rank_table(scores, "scores"), c("mean_rank", "minimum_rank"), n_splits = 3, seed = 1)
  expect_identical(found$table$aggregator, c("mean_rank", "minimum_rank"))
  expect_true(all(found$table$lower <= found$table$value))
  expect_error(influence_of_lists(list(letters, rev(letters))), "fewer than 6")
  similarity <- membership_similarity(list(one = c("a", "b"), two = c("b", "c")), "d")
  expect_equal(similarity["b", ], c(a = 0.5, b = 1, c = 0.5, d = 0))
})
