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
  same(nemenyi(values)$table$p, "pyfsagg.statistics.nemenyi(values).to_frame()['p'].to_numpy()")
  same(critical_difference(values, 0.1)$critical_difference,
       "pyfsagg.statistics.critical_difference(values, 0.1).critical_difference")
  same(bayesian_t_tests(values, rope = 1, test_train_ratio = 1 / 4)$table$p_equivalent,
       "pyfsagg.statistics.bayesian_t_tests(values, rope=1, test_train_ratio=1/4).to_frame()['p_equivalent'].to_numpy()")
  same(win_tie_loss(values, tolerance = 1)$wins,
       "pyfsagg.statistics.win_tie_loss(values, tolerance=1).iloc[:, 2].to_numpy()")
  same(rank_confidence(values[1, ], standard_errors = rep(2, 5), df = 9)$table$upper,
       "pyfsagg.statistics.rank_confidence(values[0], standard_errors=[2.0] * 5, df=9).upper")
  same(rank_confidence(values[1, ], standard_errors = rep(2, 5))$table$upper_all,
       "pyfsagg.statistics.rank_confidence(values[0], standard_errors=[2.0] * 5).upper_all")
  for (table in list(values, as.data.frame(values))) {
    found <- rank_confidence(table)$table
    expect_setequal(found$item, colnames(values))
    same(found$upper_all, "pyfsagg.statistics.rank_confidence(values).to_frame()['upper_all'].to_numpy()")
  }
  long <- data.frame(subject = rep(1:12, 5), method = factor(rep(colnames(values), each = 12), colnames(values)),
                     value = as.vector(values))
  expect_identical(nemenyi(long, "subject", "method", "value")$table, nemenyi(values)$table)
  expect_setequal(critical_difference(values)$conditions, colnames(values))
})

test_that("standings", {
  skip_without_pyfsagg()
  values <- accuracies()
  found <- standings(values)
  same(found$table$upper_all, "pyfsagg.standings(values).to_frame()['upper_all'].to_numpy()")
  expect_match(paste(found$sentences, collapse = " "), "data sets like these")
  long <- data.frame(d = rep(1:12, 5), m = factor(rep(colnames(values), each = 12), colnames(values)),
                     v = as.vector(values))
  tall <- standings(long, method = "m", dataset = "d", value = "v")
  expect_identical(tall$table, found$table)
  both <- rbind(transform(long, metric = "gain"), transform(long, v = -v, metric = "loss"))
  higher <- list(gain = TRUE, loss = FALSE)
  places <- standings(both, method = "m", dataset = "d", value = "v", metric = "metric", higher_is_better = higher)
  expect_equal(places$table$place[places$table$metric == "loss"], tall$table$place)
  losses <- standings(-values, higher_is_better = FALSE, by = "rank")
  same(losses$table$average_rank, "pyfsagg.standings(values, by='rank').to_frame()['average_rank'].to_numpy()")
  page <- tempfile(fileext = ".html")
  standings(as.data.frame(values), report = page)
  expect_gt(file.size(page), 1e4)
  expect_error(standings(values, by = "median"), "by must be one of", class = "pyfsagg_parameter_error")
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
  same(nogueira(result, n_features_to_select = 5)$variance, "pyfsagg.stability_measures.nogueira(scores, n_features_to_select=5, input='scores').variance")
  same(nogueira_test(result, 0.9, "less")$p_value,
       "pyfsagg.stability_measures.nogueira(scores, input='scores').test(0.9, 'less').p_value")
  one <- stability(result, "jaccard", interval = "bootstrap", seed = 2, n_boot = 100)
  same(c(one$lower, one$upper),
       "list(pyfsagg.stability(scores, 'jaccard', input='scores', interval='bootstrap', random_state=2, n_boot=100).interval)")
  same(feature_stability(result, n_features_to_select = 5)$lower, paste0("pyfsagg.stability_measures.feature_stability(", run, ", n_features_to_select=5)['lower'].to_numpy()"))
  same(stability_curve(result$combined, seed = 1)$value,
       "pyfsagg.stability_measures.stability_curve(scores, input='scores', random_state=1)['value'].to_numpy()")
  same(adequacy(result, seed = 4)$expected_kendall, paste0("pyfsagg.stability_measures.adequacy(", run, ", random_state=4).expected_kendall"))
  own <- adequacy(result$combined, aggregator = function(scores) apply(scores, 2, stats::median), seed = 4)
  same(own$expected_kendall,
       "pyfsagg.stability_measures.adequacy(scores, aggregator=lambda rows: __import__('numpy').median(rows, axis=0), random_state=4).expected_kendall")
  expect_error(adequacy(result, aggregator = function(scores) 1), "must return", class = "pyfsagg_data_error")
  expect_error(adequacy(result, aggregator = function(scores) stop("no idea")),
               "the function aggregator failed: no idea", class = "pyfsagg_data_error")
  same(between_sample_stability(result$combined[1:10, ], result$combined[11:20, ])$table$estimate,
       "pyfsagg.stability_measures.between_sample_stability(scores[:10], scores[10:]).estimates['estimate'].to_numpy()")
  report <- tempfile(fileext = ".html")
  found <- stability(result$combined, compare = result$combined[1:10, ], seed = 1, report = report)
  same(found$value, "pyfsagg.stability(scores, compare=scores[:10], random_state=1).table['value'].to_numpy()")
  same(attr(found, "pair")$test$difference,
       "pyfsagg.stability(scores, compare=scores[:10], random_state=1).pair.test.difference")
  expect_gt(file.size(report), 1e4)
  expect_identical(pareto_front(c(0.9, 0.5, 0.6), c(0.7, 0.9, 0.6)), c(TRUE, TRUE, FALSE))
  same(rank_confidence(wam(x$x, x$y, n_resamples = 50, seed = 1, progress = FALSE))$upper,
       "pyfsagg.wam(X, y, n_resamples=50, random_state=1).rank_confidence().upper")
})

test_that("answers are printed, and errors speak of R's arguments", {
  skip_without_pyfsagg()
  values <- accuracies()
  expect_output(print(nemenyi(values)), "Nemenyi")
  expect_s3_class(as.data.frame(nemenyi(values)), "data.frame")
  expect_error(critical_difference(values, confidence_level = NA), "confidence_level must not be NA", class = "pyfsagg_parameter_error")
  expect_error(critical_difference(values, confidence_level = mean), "confidence_level must not be a function", class = "pyfsagg_parameter_error")
  expect_error(nemenyi(data.frame(a = 1:3, b = c("x", "y", "z"))), class = "pyfsagg_error")
  expect_error(rank_confidence(1:3, standard_errors = 1:3, seed = -1), "seed must be a whole number", class = "pyfsagg_parameter_error")
  expect_error(rank_unsupervised(iris[1:4], "frcm", NULL, NULL, 7), "without its name")
})

test_that("filters, levels and columns on the table as it is", {
  skip_without_pyfsagg()
  data <- load_dataset("ionosphere")
  x <- data$x[setdiff(names(data$x), "V2")]
  for (filter in c("information_gain", "gain_ratio", "symmetric_uncertainty", "chi_squared", "fit_criterion",
                   "spearman", "value_difference_metric")) {
    same(unname(score_features(x, data$y, filter)), sprintf("pyfsagg.filters.%s(X, y)", filter))
  }
  same(unname(score_features(x, data$y, "mrmr", n_features = 5)), "pyfsagg.filters.mrmr(X, y, n_features=5)")
  same(attr(score_features(x, data$y, "mrmr", n_features = 3), "order"),
       "[X.columns[at] for at in pyfsagg.filters.information_selection(X, y, criterion='mrmr', n_features=3).order]")
  jmi <- score_features(x, data$y, "jmi", n_features = 3)
  same(unname(jmi), "pyfsagg.filters.information_selection(X, y, n_features=3).scores")
  same(attr(jmi, "order"),
       "[X.columns[at] for at in pyfsagg.filters.information_selection(X, y, n_features=3).order]")
  counts <- rep(c(0, 2, 1), 117)
  share("counts", as.array(counts))
  same(unname(score_features(x, data$y, "chi_squared", bins = 4, weights = counts)),
       "pyfsagg.filters.chi_squared(X, y, bins=4, sample_weight=counts)")
  # A sum of floating-point numbers: a matrix of R is stored by columns, which moves its last digit.
  expect_equal(as.vector(score_features(x, data$y, "laplacian_score")),
               as.vector(python("pyfsagg.unsupervised.laplacian_score(X)")), tolerance = 1e-13)
  expect_error(score_features(x, data$y, "chi_squared", bims = 4), "did you mean 'bins'", class = "pyfsagg_unknown_name_error")
  expect_identical(names(score_features(x, data$y, "mrmr")), names(x))
  same(discretize(x, data$y)$cutpoints$V5, "pyfsagg.discretization.discretize(X, y).cutpoints['V5']")
  same(discretize(x, method = "equal_frequency", bins = 3)$codes, "pyfsagg.discretization.discretize(X, method='equal_frequency', bins=3).codes")
  same(near_zero_variance(data$x)$table[[2]], "pyfsagg.filters.near_zero_variance(ionosphere.X).to_frame().reset_index().iloc[:, 1].to_numpy()")
  skip_if_not_installed("survival")
  times <- survival::Surv(1 + iris$Sepal.Length, iris$Petal.Width > 1)
  share("times", cbind(1 + iris$Sepal.Length, as.numeric(iris$Petal.Width > 1)))
  share("measured", unname(as.matrix(iris[2:4])))
  same(unname(score_features(iris[2:4], times, "cox_score", ties = "breslow")), "pyfsagg.filters.cox_score(measured, times, ties='breslow')")
  same(unname(score_features(iris[2:4], times, "concordance")), "pyfsagg.filters.concordance(measured, times)")
  same(martingale_residuals(times), "pyfsagg.filters.martingale_residuals(times)")
})

test_that("orders within samples", {
  skip_without_pyfsagg()
  made <- make_planted_orders(n_classes = 3, n_per_class = 8, n_extraneous = 3, seed = 1)
  setup <- "pyfsagg.rank_order.make_planted_orders(n_classes=3, n_per_class=8, n_extraneous=3, random_state=1)"
  reticulate::py_run_string(paste("import pyfsagg; made =", setup, "; order = pyfsagg.rank_order"))
  for (method in c("spoilers", "cdv", "greedy_kl")) {
    found <- eliminate_features(made$X, made$y, method, accuracy = TRUE, seed = 2, progress = FALSE)
    call <- sprintf("order.eliminate(made.X, made.y, '%s', accuracy=True, random_state=2)", method)
    same(found$divergence, paste0(call, ".divergence"))
    same(found$accuracy, paste0(call, ".accuracy"))
    same(selected(found, 3), paste0(call, ".select(3)"))
  }
  apart <- as.data.frame(as.matrix(made$X) + rep(100 * pmax(seq_along(made$X), 2), each = nrow(made$X)))
  expect_warning(found <- eliminate_features(apart, made$y, "spoilers", progress = FALSE), "on one scale")
  expect_match(paste(capture.output(print(found)), collapse = " "), "pairs have the same order in all samples")
  expect_error(eliminate_features(made$X, made$y, progress = FALSE, chekpoint = "a"), "did you mean 'checkpoint'",
               class = "pyfsagg_unknown_name_error")
})

test_that("tables without classes", {
  skip_without_pyfsagg()
  data <- load_dataset("wine")
  python("0")
  reticulate::py_run_string("without = pyfsagg.unsupervised; run = without.frcm(wine.X, n_clusterings=20, random_state=1)")
  found <- frcm(data$x, n_clusterings = 20, seed = 1, progress = FALSE)
  same(found$scores, "run.scores")
  same(selected(found), "run.select()")
  same(frcm(data$x, labels = found$labels, seed = 1, progress = FALSE)$scores, "run.scores")
  same(frmv(data$x, n_clusterings = 10, k_range = c(2, 4), seed = 1, progress = FALSE)$scores,
       "without.frmv(wine.X, n_clusterings=10, k_range=(2, 4), random_state=1).scores")
  same(unname(svd_entropy(data$x)), "without.svd_entropy(wine.X)")
  same(rank_unsupervised(data$x, "laplacian_score", n_neighbors = 4)$scores,
       "without.rank_unsupervised(wine.X, 'laplacian_score', n_neighbors=4).scores")
  same(clustering_curve(data$x, data$y, list(frcm = found), 2:3, n_trials = 2, seed = 1, progress = FALSE)$nmi,
       "without.clustering_curve(wine.X, wine.y, {'frcm': run}, [2, 3], n_trials=2, random_state=1)['nmi'].to_numpy()")
})

test_that("ranked lists", {
  skip_without_pyfsagg()
  lists <- list(first = list("a", c("b", "c"), "d"), second = c("b", "a", "b", "e"), third = c("c", "a"))
  table <- rank_table(lists, N = 20, duplicates = "first", unranked = list(c("d", "e")))
  code <- paste0("pyfsagg.aggregate(pyfsagg.Rankings.from_lists({'first': ['a', ('b', 'c'), 'd'], 'second': ['b', 'a', 'e'],",
                 " 'third': ['c', 'a']}, 20, unranked=[['d', 'e']]), '%s').to_frame().reset_index()['%s'].to_numpy()")
  for (method in c("rra", "borda", "stuart")) {
    same(aggregate_lists(table, method)$table$score, sprintf(code, method, "score"))
  }
  same(aggregate_lists(table)$table$adjusted_p_value, sprintf(code, "rra", "adjusted_p_value"))
  expect_identical(aggregate_ranks(table, method = "borda")$Name, aggregate_lists(table, "borda")$table[[1]])
  expect_error(aggregate_ranks(lists), "occurs twice", class = "pyfsagg_data_error")
  expect_error(aggregate_ranks(table, N = 3), "rank_table", class = "pyfsagg_parameter_error")
  expect_error(rank_table(lists, ties = "max"), "ties does not belong to input = \"lists\"", class = "pyfsagg_parameter_error")
  heavy <- rank_table(lists, N = 20, duplicates = "first", weights = c(2, 1, 0))
  same(aggregate_lists(heavy, "borda")$table$score, paste0(
    "pyfsagg.aggregate(pyfsagg.Rankings.from_lists({'first': ['a', ('b', 'c'), 'd'], 'second': ['b', 'a', 'e'], 'third': ['c', 'a']}, 20)",
    ".weighted([2, 1, 0]), 'borda').to_frame()['score'].to_numpy()"
  ))
  values <- matrix(c(3, 1, 1, 2, 2, 5), 3, dimnames = list(c("x", "y", "z"), NULL))
  share("values", t(unname(values)))
  same(aggregate_lists(rank_table(values, "scores", ties = "max"), "mean_rank")$table$score,
       "pyfsagg.aggregate(pyfsagg.Rankings.from_scores(values, ties='max'), 'mean_rank').to_frame()['score'].to_numpy()")
  files <- vapply(list(c("a", "b", "c"), c("b", "a")), function(one) {
    writeLines(one, file <- tempfile())
    file
  }, "")
  expect_identical(aggregate_lists(rank_table(files, "files", N = 9))$table$p_value,
                   aggregate_lists(rank_table(lapply(files, readLines), N = 9))$table$p_value)
  genes <- data.frame(gene = letters[1:12], score = sin(1:12))
  utils::write.table(genes, scored <- tempfile(fileext = ".txt"), sep = "\t", row.names = FALSE)
  by_score <- aggregate_lists(rank_table(scored, "files", ids = "gene", by = "score"), "borda")$table
  expect_identical(by_score$item, genes$gene[order(-genes$score)])
  expect_error(aggregate_lists(rank_table(scored, "files", ids = "gene"), "borda"), "best_first = TRUE")
  as_it_is <- rank_table(scored, "files", ids = "gene", best_first = TRUE)
  expect_identical(aggregate_lists(as_it_is, "borda")$table$item, genes$gene)
  expect_error(rank_table(list(letters[1:3]), by = "score"), "by does not belong to input")
  expect_identical(dim(compare_aggregations(table, c("borda", "median_rank"))$table)[1], 5L)
  halves <- lapply(0:3, function(i) paste0("g", (7 * i + (1:20) * 11) %% 41))
  same(check_universe(rank_table(halves, N = 900))$pool_upper, paste0(
    "pyfsagg.aggregation.check_universe(pyfsagg.Rankings.from_lists(",
    "[[f'g{(7 * i + 11 * j) % 41}' for j in range(1, 21)] for i in range(4)], 900)).pool_upper"))
  orders <- lapply(1:5, function(i) letters[1:6][order(sin(i * (1:6)))])
  share("orders", orders)
  same(permutation_p_values(orders, groups = c(1, 1, 2, 2, 3), n_permutations = 50, seed = 1)$p_values,
       "pyfsagg.aggregation.permutation_p_values(pyfsagg.Rankings.from_lists(orders), groups=[1, 1, 2, 2, 3], n_permutations=50, random_state=1).p_values")
  # Null scores of an item are its own: "a" is first in all lists, and in the null ones last.
  first <- matrix(c(9, 2, 1, 9, 1, 2, 9, 2, 1), 3, dimnames = list(c("a", "b", "c"), NULL))
  null <- function(seed) rank_table(first[, c(1, 1, 2)] * c(0, 1, 1), "scores")
  found <- permutation_p_values(rank_table(first, "scores"), "mean_rank", null = null, n_permutations = 19, seed = 1)
  expect_equal(found$p_values, c(1 / 20, 1, 1))
  expect_error(permutation_p_values(orders, null = 3), "null must be a function of a seed, got 3",
               class = "pyfsagg_parameter_error")
  expect_error(permutation_p_values(orders, null = function(seed) stop("no lists")), "the function null failed: no lists",
               class = "pyfsagg_data_error")
})

test_that("limits on false selections", {
  skip_without_pyfsagg()
  scores <- matrix(sin(1:200), 10)
  share("scores", scores)
  control <- "pyfsagg.error_control."
  same(pfer_bound(5, 100, 0.75), paste0(control, "pfer_bound(5, 100, 0.75)"))
  cells <- matrix(sin(1:480)^3 + rep(c(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), each = 40), 40)
  share("cells", cells)
  same(calibrate_selection(cells, feature_names = letters[1:12])$table$score,
       paste0(control, "calibrate_selection(cells).to_frame()['score'].to_numpy()"))
  same(integrated_path(scores, form = "h3")$q_values, paste0(control, "integrated_path(scores.reshape(5, 2, 20), function='h3').q_values"))
  same(weighted_average_accuracy(c(0.8, 0.9, 0.95), c(0.1, 0.5, 1)), "pyfsagg.evaluation.weighted_average_accuracy([0.8, 0.9, 0.95], [0.1, 0.5, 1])")
})

test_that("results are kept, shown and compared", {
  skip_without_pyfsagg()
  data <- load_dataset("wine")
  run <- function(seed) bam(data$x, data$y, filters = c("information_gain", "chi_squared"), n_resamples = 20, seed = seed, progress = FALSE)
  result <- run(1)
  code <- "pyfsagg.bam(wine.X, wine.y, filters=['information_gain', 'chi_squared'], n_resamples=20, random_state=%d)"
  copies <- clusters(result, data$x, n_features_to_select = 3, min_similarity = 0.8)
  same(copies$frequency, paste0(sprintf(code, 1), ".clusters(wine.X, ", sprintf(code, 1), ".selection(3), min_similarity=0.8)['frequency'].to_numpy()"))
  moved <- compare_runs(result, run(2), 3)
  same(moved$moved, paste0(sprintf(code, 1), ".compare(", sprintf(code, 2), ", ", sprintf(code, 1), ".selection(3))['moved'].to_numpy()"))
  folder <- tempfile()
  write_result(result, folder)
  expect_identical(load_result(folder)$combined, result$combined)
  saved <- tempfile(fileext = ".rds")
  saveRDS(result, saved)
  expect_gt(file.size(write_report(readRDS(saved), tempfile(fileext = ".html"), n_features_to_select = 2)), 1e4)
  expect_gt(file.size(write_picture(result, tempfile(fileext = ".png"), "agreement")), 1e3)
  expect_error(write_picture(result, tempfile(fileext = ".png"), "nothing"), "kind must be one of", class = "pyfsagg_parameter_error")
  expect_error(write_result(1, tempfile()), "result that can be kept", class = "pyfsagg_input_type_error")
  agreement <- list_agreement(list(letters, rev(letters)))
  expect_gt(file.size(write_report(agreement, tempfile(fileext = ".html"))), 1e4)
  expect_output(print(agreement), "list1")
  found <- frcm(data$x, n_clusterings = 10, seed = 1, progress = FALSE)
  write_result(found, folder <- tempfile())
  expect_identical(load_result(folder)$scores, found$scores)
})

test_that("evaluations and influences over several data sets", {
  skip_without_pyfsagg()
  data <- load_dataset("wine")
  some <- list(all = list(x = data$x, y = data$y), few = list(x = data$x[1:5], y = data$y))
  found <- evaluate_many(some, methods = c("chi_squared", "information_gain"), classifiers = "naive_bayes", n_features_to_select = 0.5,
                         n_resamples = 3, seed = 1, progress = FALSE)
  same(as.vector(found$evaluations$all$cells$value), paste0(
    "pyfsagg.evaluate(wine.X, wine.y, methods=['chi_squared', 'information_gain'], classifiers='naive_bayes', n_features_to_select=[0.5], ",
    "n_resamples=3, random_state=1, protocol='nested').to_frame()['value'].to_numpy()"
  ))
  judged <- evaluate(data$x, data$y, methods = c("chi_squared", "information_gain"), classifiers = "naive_bayes",
                     n_features_to_select = c(0.3, 0.6), n_resamples = 3, seed = 1, progress = FALSE)
  expect_gt(length(compare_methods(judged)$sentences), 0)
  expect_true(all(fewest_features(judged)$n_features <= fewest_features(judged)$best_n_features))
  expect_gt(nrow(final_list(judged, 3)), 0)
  measured <- lapply(c(a = 1, b = 2, c = 3), function(seed) {
    aggregator_influence(data$x, data$y, n_folds = 5, n_resamples = 5, seed = seed, progress = FALSE)
  })
  expect_s3_class(compare_aggregators(measured), "pyfsagg_standings")
  places <- standings(measured)
  expect_s3_class(places, "pyfsagg_metric_standings")
  expect_setequal(places$table$metric, c("spearman", "jaccard", "canberra"))
  file <- tempfile(fileext = ".csv")
  write.csv(cbind(data$x, class = data$y), file, row.names = FALSE)
  share("file", parquet <- tempfile(fileext = ".parquet"))
  reticulate::py_run_string("wine.X.assign(kind=wine.y).to_parquet(file)")
  out <- rank_out_of_core(parquet, "kind", "information_gain", n_resamples = 5, seed = 1, progress = FALSE)
  expect_error(rank_out_of_core(parquet, "kind", scratch = tempdir()), class = "pyfsagg_parameter_error")
  allowed <- tryCatch(rank_out_of_core(parquet, "kind", binning = "x"), pyfsagg_error = conditionMessage)
  help <- paste(utils::capture.output(print(tools::Rd_db("pyfsaggr")[["rank_out_of_core.Rd"]])), collapse = " ")
  ways <- regmatches(allowed, gregexpr("equal_[a-z]+", allowed))[[1]]
  told <- regmatches(help, gregexpr("numbers are binned: [^.]+", help))[[1]]
  expect_setequal(regmatches(told, gregexpr("[a-z]+_[a-z]+", told))[[1]], ways)
  expect_false(grepl("scratch", help))
  same(unname(out$scores), "pyfsagg.out_of_core.rank_out_of_core(file, 'kind', filters='information_gain', n_resamples=5, random_state=1).scores")
  expect_identical(read_feature_table(file, drop = "class"), data$x, tolerance = 0)
})

test_that("papers and data sets", {
  skip_without_pyfsagg()
  expect_gt(nrow(reproduce("list_shipped_runs")), 0)
  same(reproduce("claims", paper = "thesis")$verdict, "list(__import__('pyfsagg_papers').claims('thesis')['verdict'])")
  expect_error(reproduce("claim"), "did you mean 'claims'", class = "pyfsagg_unknown_name_error")
  run <- reproduce("shipped_run", name = "full-4.6")
  same(run$sentences, "__import__('pyfsagg_papers').shipped_run('full-4.6').conclusions()")
  again <- load_result(write_result(run, file.path(tempfile(), "run")))
  expect_identical(again$table, run$table)
  expect_identical(again$sentences, run$sentences)
  expect_true(file.exists(write_report(again, tempfile(fileext = ".html"))))
  expect_error(load_dataset("iiionosphere"), "did you mean", class = "pyfsagg_unknown_name_error")
  expect_identical(nrow(load_published("4.4")), as.integer(python("len(__import__('pyfsagg_papers').load_published('4.4'))")))
})

test_that("formulas, sparse tables, scratch, own rankings and the influence of between-aggregation", {
  skip_without_pyfsagg()
  whole <- matrix(seq_len(150), 1)
  at <- function(...) wam(..., row_indices = whole, progress = FALSE)
  terms <- at(Species ~ log(Sepal.Length) + Sepal.Width:Petal.Width + Petal.Length, data = iris)
  by_hand <- data.frame(a = log(iris$Sepal.Length), b = iris$Sepal.Width * iris$Petal.Width, c = iris$Petal.Length)
  expect_identical(unname(terms$scores), unname(at(by_hand, iris$Species)$scores))
  expect_identical(names(terms$scores)[2], "Sepal.Width:Petal.Width")
  some <- wam(Species ~ ., data = iris, subset = Petal.Width > 0.3, n_resamples = 5, seed = 1, progress = FALSE)
  kept <- iris[iris$Petal.Width > 0.3, ]
  expect_identical(some$combined, wam(kept[1:4], kept$Species, n_resamples = 5, seed = 1, progress = FALSE)$combined)
  holes <- iris
  holes[c(3, 70), 1] <- NA
  dropped <- wam(Species ~ ., data = holes, na.action = na.omit, n_resamples = 5, seed = 1, progress = FALSE)
  complete <- na.omit(holes)
  expect_identical(dropped$combined, wam(complete[1:4], complete$Species, n_resamples = 5, seed = 1, progress = FALSE)$combined)

  data <- load_dataset("wine")
  runs <- function(...) wam(data$x, data$y, n_resamples = 5, seed = 1, progress = FALSE, ...)
  expect_identical(runs(scratch = tempdir())$combined, runs()$combined)
  own <- list(given = runs(), reverse = rev(names(data$x)))
  # Whether the rankings were made on the rows that judge them is not known, which is said.
  suppressWarnings(expect_warning( # one for each ranking
    judged <- evaluate(data$x, data$y, rankings = own, methods = "chi_squared", classifiers = "naive_bayes",
                       n_features_to_select = 0.3, protocol = "thesis", n_resamples = 3, seed = 1, progress = FALSE),
    "leakage"
  ))
  expect_true(all(c("given", "reverse") %in% judged$cells$method))
  found <- aggregator_influence(data$x, data$y, filter = c("information_gain", "chi_squared"), method = "bam",
                                aggregators = "arithmetic_mean", n_folds = 5, n_resamples = 5, seed = 1,
                                progress = FALSE)
  same(found$ranks[[1]], paste0(
    "pyfsagg.influence(wine.X, wine.y, filter=['information_gain', 'chi_squared'], method='bam', ",
    "aggregators=['arithmetic_mean'], n_folds=5, n_resamples=5, random_state=1).ranks('arithmetic_mean')"
  ))
  skip_if_not_installed("Matrix")
  counts <- matrix(rep(c(0, 1, 0, 2, 0, 0, 3), length.out = 60 * 6), 60)
  counts[cbind(1:60, rep(1:6, 10))] <- 0
  colnames(counts) <- letters[1:6]
  labels <- rep(c("u", "v"), 30)
  expect_identical(
    score_features(Matrix::Matrix(counts, sparse = TRUE), labels, "chi_squared"), score_features(counts, labels, "chi_squared")
  )
})

test_that("weights of rows are one unit each, and counts are rows", {
  skip_without_pyfsagg()
  times <- rep(1:3, 50)
  share("times", as.array(times))
  x <- iris[1:4]
  share("table", x)
  share("species", as.character(iris$Species))
  for (name in c("weights", "counts")) {
    given <- stats::setNames(list(times), name)
    how <- list(filter = "chi_squared", shuffles = 19, seed = 1, progress = FALSE)
    found <- do.call(permute_target, c(list(x, iris$Species), how, given))$table
    plan <- sprintf("pyfsagg.resampling.Bootstrap(%s=times)", if (name == "weights") "sample_weight" else name)
    same(found$p_value, sprintf("pyfsagg.ensemble.permute_target(table, species, filter='chi_squared', shuffles=19, \
random_state=1, resampling=%s).to_frame()['p_value'].to_numpy()", plan))
  }
})
