# A call of each function with names on all that can have them. Each argument is handed over in another order of its
# names, and under other names: the result is the same, by its names, or an error of the package.
table <- mtcars[c("mpg", "disp", "wt", "gear")]
subjects <- rownames(mtcars)
classes <- stats::setNames(factor(ifelse(mtcars$am == 1, "manual", "automatic")), subjects)
counts <- stats::setNames(rep(1:2, 16), subjects)
rows <- draw_resamples(32, 8, seed = 1)
scores <- structure(sin((1:32)^1.5), dim = c(8L, 4L), dimnames = list(NULL, names(table)))
near <- abs(stats::cor(table))
lists <- list(a = c("x", "y", "z"), b = c("y", "z", "x"), c = c("z", "x", "y"), d = c("x", "z"))
beside <- c(a = 2, b = 1, c = 3, d = 1)
folds <- structure(75 + 9 * sin((1:18)^1.3), dim = c(6L, 3L), dimnames = list(paste0("data", 1:6), c("one", "two", "three")))
three <- c(p = 3.1, q = 1, r = 0.2)
cover <- structure(diag(3) / 9 + 0.01, dimnames = list(names(three), names(three)))
guides <- stats::setNames(sin((1:12)^1.4), paste0("g", 1:12))
genes <- stats::setNames(rep(c("u", "v", "w"), 4), names(guides))
orders <- structure(sin((1:60)^1.3), dim = c(12L, 5L), dimnames = list(paste0("s", 1:12), letters[1:5]))
of_order <- stats::setNames(rep(c("left", "right"), 6), rownames(orders))
ranking <- function() wam(table, classes, row_indices = rows, pairs = 0, shuffles = 0)
judged <- function() evaluate(table, classes, "chi_squared", "naive_bayes", c(0.5, 0.75), n_resamples = 2, n_folds = 2, seed = 1)

CASES <- alist(
  CMIM = list(X = table, Y = classes), DISR = list(X = table, Y = classes), JMI = list(X = table, Y = classes),
  JMIM = list(X = table, Y = classes), MIM = list(X = table, Y = classes), MRMR = list(X = table, Y = classes),
  NJMIM = list(X = table, Y = classes), miScores = list(X = table, Y = classes),
  adequacy = list(x = scores, n_features_to_select = 2, by = "halves", seed = 1),
  aggregateRanks = list(glist = lists), aggregate_groups = list(scores = guides, groups = genes),
  aggregate_lists = list(x = lists, method = "borda", weights = beside),
  aggregate_ranks = list(glist = lists, N = 10 * beside / beside, weights = beside),
  aggregator_influence = list(x = table, y = classes, n_folds = 2, n_resamples = 3, seed = 1),
  bam = list(x = table, y = classes, filters = c("chi_squared", "gain_ratio"), row_indices = rows, pairs = 0, shuffles = 0),
  bayesian_t_tests = list(data = folds, rope = 1, test_train_ratio = 0.25),
  between_aggregation = list(x = table, y = classes, filters = c("chi_squared", "gain_ratio"), row_indices = rows, pairs = 0, shuffles = 0),
  between_sample_stability = list(first = scores, second = scores + cos(scores), n_features_to_select = 2),
  calibrate_selection = list(scores = scores, sizes = 1:2), check_table = list(x = table, y = classes),
  check_universe = list(x = rank_table(lists, N = 50)),
  clustering_curve = list(x = table, y = classes, rankings = list(mine = stats::setNames(4:1, names(table))), sizes = 2,
                          n_trials = 2, seed = 1),
  clusters = list(object = ranking(), x = table, n_features_to_select = 2, min_similarity = 0.5),
  committee = list(x = table, y = classes, learners = list(mine = function(x, y) abs(stats::cor(x, y == "manual")[, 1])),
                   n_resamples = 3, seed = 1),
  compare_aggregations = list(x = lists, methods = c("borda", "median_rank"), weights = beside),
  compare_runs = list(first = ranking(), second = ranking()), critical_difference = list(data = folds),
  cut_attrs = list(attrs = data.frame(attributes = letters[1:4], importance = c(0.4, 0.1, 0.3, 0.2))),
  discretize = list(x = table, y = classes, weights = counts),
  eliminate_features = list(x = as.data.frame(orders), y = of_order, method = "spoilers", seed = 1),
  error_control = list(object = wam(table, classes, n_resamples = 20, resampling = "complementary_pairs", seed = 1), max_false = 1),
  evaluate = list(x = table, y = classes, methods = "chi_squared", classifiers = "naive_bayes", n_features_to_select = 0.5,
                  n_folds = 2, n_resamples = 2, seed = 1),
  evaluate_many = list(datasets = list(one = list(x = table, y = classes), two = list(x = table[1:3], y = classes)),
                       methods = "chi_squared", classifiers = "naive_bayes", n_features_to_select = 0.5, n_resamples = 2, seed = 1),
  expected_replication = list(x = table, y = classes, n_features_to_select = 2, pairs = 5, filter = "chi_squared", seed = 1),
  feature_stability = list(x = scores, n_features_to_select = 2), final_list = list(object = judged(), n_features_to_select = 2),
  fewest_features = list(object = judged()), frcm = list(x = table, n_clusterings = 3, seed = 1),
  frmv = list(x = table, n_clusterings = 3, seed = 1),
  influence_of_lists = list(x = rank_table(structure(sin((1:80)^1.3), dim = c(10L, 8L), dimnames = list(letters[1:10], NULL)),
                                           "scores"), n_splits = 2, seed = 1),
  information_gain = list(x = table, y = classes), integrated_path = list(scores = scores),
  laplacian_score = list(x = table), list_agreement = list(glist = list(a = letters[1:9], b = letters[c(2, 1, 3:9)])),
  martingale_residuals = list(y = structure(cbind(time = c(2, 3, 5), status = c(1, 0, 1)), type = "right", class = "Surv")),
  membership_similarity = list(sets = list(one = c("a", "b"), two = c("b", "c"))),
  near_zero_variance = list(x = table), nemenyi = list(data = folds), nogueira = list(x = scores, n_features_to_select = 2),
  nogueira_test = list(x = scores, n_features_to_select = 2),
  pareto_front = list(stability = three, accuracy = c(p = 0.1, q = 0.9, r = 0.5)),
  permutation_p_values = list(x = lists, method = "borda", n_permutations = 19, weights = beside, seed = 1),
  permute_target = list(x = table, y = classes, shuffles = 19, seed = 1),
  rank_confidence = list(estimates = three, covariance = cover), rank_table = list(x = lists, N = 10, weights = beside),
  rank_unsupervised = list(x = table, n_clusterings = 3, seed = 1),
  score_features = list(x = table, y = classes, weights = counts),
  screen_genes = list(scores = guides, genes = genes, guides = stats::setNames(names(guides), names(guides)),
                      log_fold_changes = rev(guides)[names(guides)]),
  selected = list(object = ranking(), n = 2),
  stability = list(x = scores, measures = c("jaccard", "yu", "pearson"), n_features_to_select = 2, similarity = near),
  stability_curve = list(x = scores, measures = "jaccard", sizes = 1:2), standings = list(data = folds),
  studies = list(tables = list(one = data.frame(logFC = sin(1:12), PValue = (1:12) / 13, row.names = letters[1:12]),
                               two = data.frame(logFC = sin(2:13), PValue = (12:1) / 13, row.names = letters[1:12]))),
  svd_entropy = list(x = table),
  vote_features = list(selections = lists, voter_weights = beside, performance = beside / 4),
  wam = list(x = table, y = classes, row_indices = rows, pairs = 0, shuffles = 0),
  weighted_average_accuracy = list(accuracy = three / 4, thresholds = c(p = 0.1, q = 0.5, r = 1)),
  which_aggregator = list(glist = lists), win_tie_loss = list(data = folds),
  within_aggregation = list(x = table, y = classes, row_indices = rows, pairs = 0, shuffles = 0)
)

# What has no names to be mistaken: numbers, words and files; or what others of these functions are called with.
NO_NAMES <- c(
  "attach_compatible", "caret_functions", "compare_aggregators", "compare_methods", "cross_check", "draw_resamples", "filtro_score", "influence",
  "install_pyfsagg", "listStabilityMeasures", "list_methods", "load_dataset", "load_published", "load_result",
  "make_planted_orders", "pfer_bound", "plotFeatures", "pyfsagg_available", "pyfsagg_sitrep",
  "rank_out_of_core", "read_feature_table", "reproduce", "step_select_ensemble", "write_picture", "write_report", "write_result"
)

# As the help says, resamples and random subspaces are drawn by the names and the order of columns; pairs of columns are in
# the order of columns, and ties go to the first one.
DRAWN <- c("aggregator_influence", "evaluate", "expected_replication", "frcm", "frmv", "permute_target", "rank_unsupervised")
IN_ORDER <- c("JMI", "JMIM", "bayesian_t_tests", "nemenyi", "win_tie_loss")

# Of lists of sets stabm's functions know the names in the sets alone; similarities are in the case of stability().
test_that("every function of the package is looked at", {
  dropins <- unlist(lapply(c("stabm", "praznik", "FSelectorRcpp"), compatible_names))
  exported <- grep("^stability[A-Z]", c(getNamespaceExports("pyfsaggr"), dropins), value = TRUE, invert = TRUE)
  expect_setequal(c(names(CASES), NO_NAMES), exported)
})

# Along which of its names a value can be put into another order.
named_sides <- function(value) {
  if (is.object(value) && !is.data.frame(value) && !is.factor(value)) return(integer()) # results and the like
  if (is.data.frame(value)) return(c(if (.row_names_info(value) > 0L) 1L, 2L))
  if (is.null(dim(value))) return(if (!is.null(names(value)) && !is.function(value)) 0L)
  which(!vapply(dimnames(value), is.null, NA))
}

reordered <- function(value, side) {
  if (side == 0L) return(value[c(seq_along(value)[-1], 1L)])
  turned <- c(seq_len(dim(value)[side])[-1], 1L)
  if (side == 1L) value[turned, , drop = FALSE] else value[, turned, drop = FALSE]
}

renamed <- function(value, side) {
  if (side == 0L) names(value) <- paste0("new.", names(value))
  if (side == 1L) rownames(value) <- paste0("new.", rownames(value))
  if (side == 2L) colnames(value) <- paste0("new.", colnames(value))
  value
}

CHANGES <- list(reordered = reordered, renamed = renamed)

# What a result holds, by its names and in no order of places: parts and columns by name, and the values of each, sorted.
by_name <- function(value) {
  old <- function(names) gsub("new.", "", names, fixed = TRUE)
  if (is.list(value)) {
    value <- unclass(value)
    left_out <- c("call", "record", "data", "versions", "parameters", "halves", "sentences", "about_copies", "selection")
    value <- lapply(value[!names(value) %in% left_out | !nzchar(names(value))], by_name)
    names(value) <- old(names(value))
    return(value[order(names(value))])
  }
  if (is.factor(value)) value <- as.character(value)
  if (is.character(value)) return(sort(old(value), na.last = TRUE))
  if (!is.numeric(value) && !is.logical(value)) return(NULL)
  if (length(dim(value)) == 2L && !is.null(colnames(value))) {
    columns <- lapply(seq_len(ncol(value)), function(j) sort(unname(value[, j]), na.last = TRUE))
    return(columns[order(old(colnames(value)))])
  }
  if (!is.null(names(value))) unname(value[order(old(names(value)))]) else sort(as.double(value), na.last = TRUE)
}

outcome <- function(name, given) {
  tryCatch(by_name(suppressWarnings(do.call(get(name), given))), pyfsagg_error = function(e) "error")
}

test_that("an argument in another order, or under other names, gives the same result or an error", {
  skip_without_pyfsagg()
  for (name in names(CASES)) {
    given <- eval(CASES[[name]])
    expected <- outcome(name, given)
    expect_false(identical(expected, "error"), info = name)
    for (argument in names(given)) {
      for (side in named_sides(given[[argument]])) {
        for (change in names(CHANGES)) {
          if (name %in% DRAWN && argument == "x" || name %in% IN_ORDER && side == 2L && change == "reordered") next
          changed <- given
          changed[[argument]] <- CHANGES[[change]](given[[argument]], side)
          found <- outcome(name, changed)
          expect_true(identical(found, "error") || isTRUE(all.equal(found, expected, tolerance = 1e-8)),
                      info = paste(name, argument, side, change))
        }
      }
    }
  }
})
