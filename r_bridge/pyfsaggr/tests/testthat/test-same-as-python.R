# What R returns is what Python returns, to the last bit: both in one process, on the same data.
python <- function(code, ...) {
  setup <- "import numpy as np, pandas as pd, pyfsagg; ionosphere = pyfsagg.load_dataset('ionosphere'); X = ionosphere.X.drop(columns='V2'); y = ionosphere.y; wine = pyfsagg.load_dataset('wine')"
  reticulate::py_run_string(setup)
  found <- reticulate::py_run_string(paste0("found = ", code))$found
  if (is.list(found) && !is.data.frame(found)) unlist(found) else found
}

same <- function(ours, code) {
  theirs <- python(code)
  expect_identical(as.vector(ours), as.vector(theirs), info = code)
}

# Accuracies of five methods on twelve subjects, some of them equal.
accuracies <- function() {
  values <- outer(1:12, 1:5, function(i, j) round(80 + 8 * sin(i) + 2 * cos(3 * i * j) + j, 1))
  values[4, 2] <- values[4, 3]
  colnames(values) <- c("a", "b", "c", "d", "e")
  values
}

share <- function(name, value) {
  main <- reticulate::import_main(convert = FALSE)
  reticulate::py_set_attr(main, name, reticulate::r_to_py(value))
}

test_that("tests of methods", {
  skip_without_pyfsagg()
  values <- accuracies()
  share("values", unname(values))
  same(friedman(values)$p_value, "pyfsagg.statistics.friedman(values).p_value")
  same(friedman(values)$kendall_w_interval, "list(pyfsagg.statistics.friedman(values).kendall_w_interval)")
  same(nemenyi(values)$table$p, "pyfsagg.statistics.nemenyi(values).to_frame()['p'].to_numpy()")
  same(critical_difference(values, 0.1)$critical_difference,
       "pyfsagg.statistics.critical_difference(values, 0.1).critical_difference")
  same(rm_anova(values, mauchly = "r")$p_greenhouse_geisser,
       "pyfsagg.statistics.rm_anova(values, mauchly='r').p_greenhouse_geisser")
  same(one_way_anova(as.list(as.data.frame(values)), welch = TRUE)$p_value,
       "pyfsagg.statistics.one_way_anova(values, welch=True).p_value")
  for (test in c("t", "wilcoxon")) {
    same(pairwise_tests(values, test = test, decimals = 1)$table$p_adjusted,
         sprintf("pyfsagg.statistics.pairwise_tests(values, test='%s', decimals=1).to_frame()['p_adjusted'].to_numpy()", test))
  }
  same(pairwise_tests(values, test = "corrected_t", test_train_ratio = 0.25)$table$p,
       "pyfsagg.statistics.pairwise_tests(values, test='corrected_t', test_train_ratio=0.25).to_frame()['p'].to_numpy()")
  same(bayesian_t_tests(values, rope = 1, test_train_ratio = 1 / 4)$table$p_equivalent,
       "pyfsagg.statistics.bayesian_t_tests(values, rope=1, test_train_ratio=1/4).to_frame()['p_equivalent'].to_numpy()")
  same(wilcoxon(values[, 2], values[, 3], zero_method = "pratt", decimals = 1)$p_value,
       "pyfsagg.statistics.wilcoxon(values[:, 1], values[:, 2], zero_method='pratt', decimals=1).p_value")
  same(win_tie_loss(values, tolerance = 1)$wins,
       "pyfsagg.statistics.win_tie_loss(values, tolerance=1).iloc[:, 2].to_numpy()")
  same(sphericity_test(values)$w, "pyfsagg.statistics.sphericity_test(values).w")
  same(rank_biserial_unpaired(values[, 1], values[, 5])$lower,
       "pyfsagg.statistics.rank_biserial_unpaired(values[:, 0], values[:, 4]).lower")
  same(rank_biserial_paired(values[, 1] - values[, 5])$value,
       "pyfsagg.statistics.rank_biserial_paired(values[:, 0] - values[:, 4]).value")
  same(noncentral_f_interval(5, 2, 10), "list(pyfsagg.statistics.noncentral_f_interval(5, 2, 10))")
  same(noncentral_t_interval(2, 10), "list(pyfsagg.statistics.noncentral_t_interval(2, 10))")
  same(rank_confidence(values[1, ], standard_errors = rep(2, 5))$table$upper_all,
       "pyfsagg.statistics.rank_confidence(values[0], standard_errors=[2.0] * 5).upper_all")
  long <- data.frame(subject = rep(1:12, 5), method = factor(rep(colnames(values), each = 12), colnames(values)),
                     value = as.vector(values))
  expect_identical(friedman(long, "subject", "method", "value")$p_value, friedman(values)$p_value)
  expect_identical(friedman(values)$conditions, colnames(values))
})

test_that("stability of selections", {
  skip_without_pyfsagg()
  x <- load_dataset("ionosphere")
  x$x$V2 <- NULL # a column of one value
  result <- bam(x$x, x$y, filters = c("information_gain", "chi_squared"), n_resamples = 20, seed = 3,
                progress = FALSE)
  share("scores", unname(result$combined))
  run <- "pyfsagg.bam(X, y, filters=['information_gain', 'chi_squared'], n_resamples=20, random_state=3)"
  same(result$combined, paste0(run, ".combined"))
  same(nogueira(result, top = 5)$variance, "pyfsagg.nogueira(scores, top=5, input='scores').variance")
  same(nogueira_test(result, 0.9, "less")$p_value,
       "pyfsagg.nogueira(scores, input='scores').test(0.9, 'less').p_value")
  same(stability_measure(result, "jaccard", interval = "bootstrap", seed = 2, n_boot = 100)$interval,
       "list(pyfsagg.stability(scores, 'jaccard', input='scores', interval='bootstrap', random_state=2, n_boot=100).interval)")
  same(feature_stability(result, top = 5)$lower, paste0("pyfsagg.feature_stability(", run, ", top=5)['lower'].to_numpy()"))
  same(stability_curve(result$combined, seed = 1)$value,
       "pyfsagg.stability_curve(scores, input='scores', random_state=1)['value'].to_numpy()")
  same(adequacy(result, seed = 4)$expected_kendall, paste0("pyfsagg.adequacy(", run, ", random_state=4).expected_kendall"))
  same(between_sample_stability(result$combined[1:10, ], result$combined[11:20, ])$table$estimate,
       "pyfsagg.between_sample_stability(scores[:10], scores[10:]).estimates['estimate'].to_numpy()")
  report <- tempfile(fileext = ".html")
  found <- stability_report(result$combined, compare = result$combined[1:10, ], seed = 1, report = report)
  same(found$table$value, "pyfsagg.stability_report(scores, compare=scores[:10], random_state=1).table['value'].to_numpy()")
  expect_gt(file.size(report), 1e4)
  expect_identical(pareto_front(c(0.9, 0.5, 0.6), c(0.7, 0.9, 0.6)), c(TRUE, TRUE, FALSE))
  same(rank_confidence(wam(x$x, x$y, n_resamples = 50, seed = 1, progress = FALSE))$upper,
       "pyfsagg.wam(X, y, n_resamples=50, random_state=1).rank_confidence().upper")
})

test_that("answers are printed, and errors speak of R's arguments", {
  skip_without_pyfsagg()
  values <- accuracies()
  expect_output(print(friedman(values)), "Friedman test of 5 conditions on 12 subjects")
  expect_output(print(sphericity_test(values)), "greenhouse_geisser")
  expect_s3_class(as.data.frame(nemenyi(values)), "data.frame")
  expect_error(friedman(values, confidence = NA), "confidence must not be NA", class = "pyfsagg_parameter_error")
  expect_error(friedman(values, confidence = mean), "confidence must not be a function", class = "pyfsagg_parameter_error")
  expect_error(friedman(data.frame(a = 1:3, b = c("x", "y", "z"))), class = "pyfsagg_error")
  expect_error(rank_confidence(1:3, standard_errors = 1:3, seed = -1), "seed must be a whole number", class = "pyfsagg_parameter_error")
  expect_error(stability_measure(list("a", "b"), measure = "jaccard", 3, 0.5, NULL, NULL, NULL, NULL, 0.9, 10, "random", 1, 7), "without its name")
})
