scores <- c(-2.1, -1.8, -1.9, 0.3, -0.2, 0.1, 1.5)
genes <- c("a", "a", "a", "b", "b", "b", "c")

test_that("genes of a screen, best first, with exact p-values", {
  skip_without_pyfsagg()
  found <- screen_genes(scores, genes, alpha = c(0.5, 0.4))
  expect_s3_class(found, "data.frame")
  expect_identical(found$gene[1], "a")
  expect_equal(found$guides[found$gene == "a"], 3)
  # all three in front of the seven: one of choose(7, 3) deals
  expect_equal(found$low_p_value[1], 1 / choose(7, 3))
  expect_equal(found$low_log10_p_value, log10(found$low_p_value))
  expect_equal(found$median_score[1], -1.9)
  expect_equal(attr(found, "alpha"), c(low = 0.5, high = 0.4))
  expect_match(attr(found, "remarks"), "1 gene of 3 with one guide", all = FALSE)
})

test_that("a screen is kept, and read again", {
  skip_without_pyfsagg()
  found <- screen_genes(scores, genes, alpha = 0.5, save = folder <- tempfile())
  expect_identical(load_result(folder)$low_p_value, found$low_p_value)
  expect_identical(attr(load_result(folder), "alpha"), attr(found, "alpha"))
  expect_gt(file.size(write_report(found, tempfile(fileext = ".html"))), 1e4)
})

test_that("options of a screen arrive", {
  skip_without_pyfsagg()
  expect_warning(
    named <- screen_genes(
      c(scores, NA), factor(c(genes, "b")), guides = paste0("s", 1:8), log_fold_changes = c(scores, 0) / 2,
      p_values = list(seq(0, 1, length.out = 8), rep(0.5, 8)), control_genes = "b*", min_guides = 2,
      missing = "drop"
    ),
    "rests on 3 control guides"
  )
  expect_setequal(named$gene, c("a", "b"))
  expect_equal(attr(named, "alpha")[["high"]], 0.05)
  expect_equal(named$median_lfc[named$gene == "a"], -0.95)
  low <- screen_genes(scores, genes, side = "low", p_values = rep(0.1, 7), null = "uniform")
  expect_false(any(grepl("high", names(low))))
  expect_equal(attr(low, "alpha"), c(low = 1))
})

test_that("what is wrong with a screen is said", {
  skip_without_pyfsagg()
  expect_error(screen_genes(letters[1:7], genes), "must be numbers", class = "pyfsagg_input_type_error")
  expect_error(screen_genes(scores, c(NA, genes[-1])), "missing name", class = "pyfsagg_data_error")
  expect_error(screen_genes(c(NA, scores[-1]), genes), "without a score", class = "pyfsagg_data_error")
  expect_error(screen_genes(scores, genes, alpha = 2), "alpha must be", class = "pyfsagg_parameter_error")
  expect_error(
    screen_genes(scores, genes, guides = rep("s", 7)), "twice|two genes", class = "pyfsagg_data_error"
  )
})

test_that("replicates, weights and guides in several genes arrive", {
  skip_without_pyfsagg()
  again <- screen_genes(scores, genes, alpha = 0.5, replicates = list(scores, scores))
  expect_equal(again$low_p_value, screen_genes(scores, genes, alpha = 0.5)$low_p_value)
  expect_match(attr(again, "remarks"), "in 3 replicates", all = FALSE)
  plain <- screen_genes(scores, genes, alpha = 0.5, null = "uniform")
  equal <- screen_genes(scores, genes, alpha = 0.5, null = "uniform", guide_weights = rep(2, 7))
  expect_equal(equal$low_p_value, plain$low_p_value)
  weighted <- screen_genes(scores, genes, alpha = 0.5, null = "uniform", guide_weights = 1:7)
  expect_false(isTRUE(all.equal(weighted$low_p_value, plain$low_p_value)))
  shared <- paste0("s", c(1:6, 1))
  expect_error(screen_genes(c(scores[-7], -2.1), genes, guides = shared), "shared_guides = \"drop\"")
  each <- screen_genes(c(scores[-7], -2.1), genes, guides = shared, shared_guides = "each", alpha = 0.5)
  expect_equal(each$guides[each$gene == "c"], 1)
  aggregated <- aggregate_lists(list(c("a", "b", "c"), c("b", "a", "c")), "kemeny")
  expect_equal(nrow(as.data.frame(aggregated)), 3)
})
