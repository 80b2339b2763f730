# Written by tools/r_functions.py from pyfsagg/for_r/calls.py; do not edit.

#' @rdname statistics
#' @export
bayesian_t_tests <- function(data, rope, test_train_ratio, df = NULL, condition = NULL, value = NULL,
                             subject = NULL, confidence_level = 0.95, missing = "error") {
  call_python("bayesian_t_tests", data = "numbers")
}

#' @rdname statistics
#' @export
critical_difference <- function(data, confidence_level = 0.95, subject = NULL, condition = NULL, value = NULL,
                                higher_is_better = TRUE, missing = "error") {
  call_python("critical_difference", data = "numbers")
}

#' @rdname statistics
#' @export
nemenyi <- function(data, subject = NULL, condition = NULL, value = NULL, higher_is_better = TRUE,
                    confidence_level = 0.95, missing = "error") {
  call_python("nemenyi", data = "numbers")
}

#' @rdname statistics
#' @export
win_tie_loss <- function(data, subject = NULL, condition = NULL, value = NULL, higher_is_better = TRUE,
                         tolerance = 0, missing = "error") {
  call_python("win_tie_loss", data = "numbers")
}

#' @rdname list_methods
#' @export
list_methods <- function(kind = NULL) call_python("list_methods")

#' @rdname datasets
#' @export
load_dataset <- function(name, download = FALSE, cache = NULL, sha256 = NULL) {
  dataset_of(call_python("load_dataset", cache = "path"))
}

#' @rdname datasets
#' @export
read_feature_table <- function(source, ...) {
  call_python("read_feature_table", source = "path", more = list(...))
}

#' @rdname filters
#' @export
discretize <- function(x, y = NULL, method = "mdl", mdl = "textbook", bins = 10, nominal = NULL,
                       weights = NULL) {
  call_python("discretize", x = "table", y = "target", nominal = "features")
}

#' @rdname filters
#' @export
near_zero_variance <- function(x, frequency_ratio = 19, unique_percent = 10) {
  call_python("near_zero_variance", x = "table")
}

#' @rdname filters
#' @export
martingale_residuals <- function(y, ties = "efron", weights = NULL) {
  call_python("martingale_residuals", y = "target")
}

#' @rdname orders
#' @export
make_planted_orders <- function(n_classes = 7, n_per_class = 20, n_extraneous = 4, n_redundant = 0,
                                shuffle = TRUE, seed = NULL) {
  call_python("make_planted_orders")
}

#' @rdname orders
#' @export
eliminate_features <- function(x, y, method = "cdv", method_params = NULL, weights = NULL, always = NULL,
                               ties = "average", missing = "error", tie_break = "first", accuracy = FALSE,
                               n_folds = 5, max_seconds = 3600, seed = NULL, cores = 1,
                               progress = interactive(), save = NULL, report = NULL, ...) {
  call_python("eliminate_features", x = "table", y = "target", always = "features", more = list(...))
}

#' @rdname unsupervised
#' @export
clustering_curve <- function(x, y, rankings, sizes, n_trials = 40, n_clusters = NULL, n_init = 10,
                             standardize = "z_score", seed = NULL, cores = 1, progress = interactive(), ...) {
  call_python("clustering_curve", x = "table", y = "target", more = list(...))
}

#' @rdname unsupervised
#' @export
frcm <- function(x, n_clusterings = 100, feature_fraction = 0.5, k_range = NULL, clusterer = "k_means",
                 standardize = "z_score", labels = NULL, seed = NULL, cores = 1, progress = interactive(),
                 save = NULL, report = NULL, ...) {
  call_python("frcm", x = "table", labels = "labels", more = list(...))
}

#' @rdname unsupervised
#' @export
frmv <- function(x, n_clusterings = 100, feature_fraction = 0.5, k_range = NULL, clusterer = "k_means",
                 standardize = "z_score", aggregator = "borda", association = "correlation_ratio",
                 labels = NULL, seed = NULL, cores = 1, progress = interactive(), save = NULL, report = NULL,
                 ...) {
  call_python("frmv", x = "table", labels = "labels", more = list(...))
}

#' @rdname unsupervised
#' @export
laplacian_score <- function(x, n_neighbors = 5, bandwidth = "mean", standardize = "z_score") {
  by_feature(call_python("laplacian_score", x = "table"), x)
}

#' @rdname unsupervised
#' @export
svd_entropy <- function(x, standardize = "z_score", cores = 1) {
  by_feature(call_python("svd_entropy", x = "table"), x)
}

#' @rdname error_control_parts
#' @export
pfer_bound <- function(q, p, threshold, n_pairs = 50, assumption = "unimodal") call_python("pfer_bound")

#' @rdname error_control_parts
#' @export
calibrate_selection <- function(scores, sizes = NULL, thresholds = NULL, feature_names = NULL) {
  call_python("calibrate_selection", feature_names = "words")
}

#' @rdname error_control_parts
#' @export
integrated_path <- function(scores, form = "h2", delta = 1, n_thresholds = 100, cutoff = 0.05,
                            normalization = "same") {
  call_python("integrated_path", scores = "pairs")
}

#' @rdname weighted_average_accuracy
#' @export
weighted_average_accuracy <- function(accuracy, thresholds = c(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
                                      1)) {
  call_python("weighted_average_accuracy")
}

#' @rdname vote_features
#' @export
vote_features <- function(selections, rule = "approval", voter_weights = NULL, performance = NULL,
                          learners = NULL, feature_names = NULL, size = NULL, n_features_to_select = 0.25,
                          save = NULL, report = NULL) {
  called(call_python(
    "vote_features", selections = "collection", voter_weights = "voter_weights", performance = "values",
    learners = "words", feature_names = "words"
  ))
}

#' @rdname screen_genes
#' @export
screen_genes <- function(scores, genes, guides = NULL, log_fold_changes = NULL, p_values = NULL,
                         side = "both", alpha = NULL, null = "guides", control_guides = NULL,
                         control_genes = NULL, ties = "average", min_guides = 1, missing = "error",
                         replicates = NULL, guide_weights = NULL, shared_guides = "error", save = NULL,
                         report = NULL) {
  call_python(
    "screen_genes", scores = "values", genes = "words", guides = "words", log_fold_changes = "values",
    p_values = "sides", null = "plain", control_guides = "words", control_genes = "words",
    replicates = "sides", guide_weights = "values"
  )
}

#' @rdname standings
#' @export
standings <- function(data, method = NULL, dataset = NULL, value = NULL, replicate = NULL, metric = NULL,
                      higher_is_better = TRUE, by = "mean", test = "auto", test_train_ratio = 0, rope = NULL,
                      confidence_level = 0.95, seed = 0, save = NULL, report = NULL) {
  call_python("standings", data = "numbers")
}

#' @rdname studies
#' @export
studies <- function(tables, item = NULL, effect = NULL, p_value = NULL, statistic = NULL,
                    standard_error = NULL, study = NULL, min_studies = 2, evidence = "p_values",
                    p_adjust = "adafilter", duplicates = "error", strip_version = FALSE, save = NULL,
                    report = NULL) {
  call_python("studies", tables = "studies")
}

#' @rdname ranked_lists
#' @export
aggregate_lists <- function(x, method = "robust_rank_aggregation", p_adjust = "bh", weights = NULL,
                            save = NULL, report = NULL, ...) {
  call_python("aggregate_lists", x = "lists", more = list(...))
}

#' @rdname ranked_lists
#' @export
compare_aggregations <- function(x, methods, p_adjust = "bh", weights = NULL, method_params = NULL,
                                 save = NULL, report = NULL) {
  call_python("compare_aggregations", x = "lists")
}

#' @rdname ranked_lists
#' @export
permutation_p_values <- function(x, method = "robust_rank_aggregation", groups = NULL, null = NULL,
                                 n_permutations = 1000, p_adjust = "bh", weights = NULL, seed = NULL, ...) {
  call_python("permutation_p_values", x = "lists", more = list(...))
}

#' @rdname ranked_lists
#' @export
check_universe <- function(x, top_share = 0.5, confidence_level = 0.95) {
  call_python("check_universe", x = "lists")
}

#' @rdname influence_of_lists
#' @export
influence_of_lists <- function(x, aggregators = NULL, measure = "spearman", n_splits = 100, seed = NULL,
                               save = NULL, report = NULL) {
  call_python("influence_of_lists", x = "lists")
}

#' @rdname results
#' @export
compare_aggregators <- function(results, measure = "spearman", filter = NULL, n_features_to_select = 0.25,
                                confidence_level = 0.95, save = NULL, report = NULL) {
  call_python("compare_aggregators")
}

#' @rdname stability_more
#' @export
adequacy <- function(x, n_features_to_select = 0.25, aggregator = NULL, by = NULL, n_boot = 200, sizes = NULL,
                     seed = NULL) {
  call_python("adequacy", x = "collection")
}

#' @rdname stability_more
#' @export
between_sample_stability <- function(first, second, n_features_to_select = 0.25, confidence_level = 0.95,
                                     n_rows = NULL) {
  call_python("between_sample_stability")
}

#' @rdname stability_more
#' @export
feature_stability <- function(x, n_features_to_select = 0.25, confidence_level = 0.95, quantiles = c(0.05,
                              0.25, 0.75, 0.95), n_features = NULL, input = NULL, ties = "random") {
  call_python("feature_stability", x = "collection")
}

#' @rdname stability_more
#' @export
nogueira <- function(x, n_features = NULL, n_features_to_select = 0.25, input = NULL, confidence_level = 0.95,
                     ties = "random") {
  call_python("nogueira", x = "collection")
}

#' @rdname stability_more
#' @export
nogueira_test <- function(x, null_value = 0, alternative = "two-sided", n_features = NULL,
                          n_features_to_select = 0.25, input = NULL, confidence_level = 0.95, ties = "random") {
  call_python("nogueira_test", x = "collection")
}

#' @rdname stability_more
#' @export
membership_similarity <- function(sets, feature_names = NULL, of = "members") {
  square_of(call_python("membership_similarity", sets = "words", feature_names = "words"))
}

#' @rdname stability_more
#' @export
pareto_front <- function(stability, accuracy, higher_is_better = TRUE) call_python("pareto_front")

#' @rdname stability_more
#' @export
stability_curve <- function(x, measures = c("jaccard", "nogueira"), sizes = NULL, input = NULL,
                            ties = "random", seed = NULL, ...) {
  call_python("stability_curve", x = "collection", more = list(...))
}

#' @rdname stability
#' @export
stability <- function(x, measures = NULL, compare = NULL, paired = FALSE, names = c("first", "second"),
                      n_features = NULL, n_features_to_select = 0.25, similarity = NULL, input = NULL,
                      undefined = NULL, interval = "jackknife", confidence_level = 0.95, n_boot = 1000,
                      sizes = NULL, ties = "random", seed = NULL, measure_params = NULL, save = NULL,
                      report = NULL) {
  stability_table(call_python("stability", x = "collection", compare = "collection"))
}

#' @rdname list_agreement
#' @export
list_agreement <- function(glist, distance = 6, pilot = 10, persistence = 0.98, save = NULL, report = NULL) {
  deepest_agreement(call_python("list_agreement", glist = "lists"))
}
