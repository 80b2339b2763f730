#' Tables without classes
#'
#' `rank_unsupervised()` ranks features by how well they agree with an ensemble of clusterings of the samples
#' (`frcm()`, consensus affinity), by their ranks in many clusterings (`frmv()`), by neighbouring samples
#' (`laplacian_score()`) or by the entropy of singular values (`svd_entropy()`). The others say whether there were enough
#' clusterings, how well clusters of the best features agree with known classes, and give the parts of the
#' methods.
#'
#' @param x A data frame or matrix of numbers without missing values, one row per sample.
#' @param y Known classes, to compare clusters with.
#' @param method A name from `list_unsupervised_methods()`; for `consensus_partition()` how clusters are linked.
#' @param n_clusterings Number of clusterings.
#' @param feature_fraction Share of the features that each clustering sees.
#' @param k_range Smallest and largest number of clusters; `NULL` leaves it to the number of samples.
#' @param clusterer A name, such as `"k_means"`.
#' @param standardize How columns are scaled: `"z_score"`, `"min_max"`, `"center"` or `"none"`.
#' @param labels Clusterings made elsewhere: a matrix of whole numbers, one row per clustering; for
#'   `correlation_ratio()` one clustering.
#' @param aggregator A name from [list_aggregators()].
#' @param association How a feature and a clustering are compared.
#' @param seed A whole number; by default R draws one.
#' @param cores,progress As in [wam()].
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @param ... Options of the method, such as `seed`, or `checkpoint`, `scratch` and `memory_limit` ([settings]).
#' @param n_neighbors,bandwidth Neighbours of a sample, and the width of their weights.
#' @param n_clusters Number of clusters; by default that of the classes.
#' @param partitioner How the partition is found: `"spectral"` or by the linkage of `method`.
#' @param feature Name of a feature, or its number from 1.
#' @param first,second Two matrices of similarities of the same samples.
#' @param ranking A result of `frcm()` on this table.
#' @param target The reliability that is wanted.
#' @param n_parts Into how many parts the clusterings are divided.
#' @param rankings A named list of results, or of scores with one number for each feature.
#' @param sizes Numbers of best features to cluster on.
#' @param n_trials,n_init How often k-means is run, and from how many starts.
#' @param methods Names from `list_unsupervised_methods()`, and `"pca"`.
#' @param rule Which features are selected: `"mean_plus_sd"`, a number, or a share below 1.
#' @param scores,reference Scores of the features, and the ranking by the classes, by scores as well.
#' @param fractions Shares of the best features; 1 percent, 2 percent, ... by default.
#' @param trials A result of `evaluate_rankings()`.
#' @return Rankings are lists with `scores`, `ranking`, `consensus` (samples by samples), `labels` and a
#'   `table` ([answers], [selected()]); scores are vectors with the names of the features;
#'   curves and lists data frames.
#' @name unsupervised
#' @examples
#' if (pyfsagg_available()) {
#'   found <- frcm(iris[1:4], n_clusterings = 20, seed = 1, progress = FALSE)
#'   found
#'   selected(found, 2)
#'   laplacian_score(iris[1:4])
#' }
NULL

#' @rdname unsupervised
#' @export
rank_unsupervised <- function(x, method = "frcm", save = NULL, report = NULL, ...) {
  more <- list(...)
  drawn <- !method %in% c("laplacian_score", "svd_entropy")
  if (drawn && is.null(more$seed)) more$seed <- python_seed(NULL, more$checkpoint)
  call_python("rank_unsupervised", table = "x", more = more)
}

#' @rdname unsupervised
#' @export
frcm <- function(x, n_clusterings = 100, feature_fraction = 0.5, k_range = NULL, clusterer = "k_means",
                 standardize = "z_score", labels = NULL, seed = NULL, cores = 1, progress = interactive(),
                 save = NULL, report = NULL, ...) {
  labels <- whole_matrix(labels)
  call_python("frcm", table = "x", more = list(...))
}

#' @rdname unsupervised
#' @export
frmv <- function(x, n_clusterings = 100, feature_fraction = 0.5, k_range = NULL, clusterer = "k_means",
                 standardize = "z_score", aggregator = "borda", association = "correlation_ratio",
                 labels = NULL, seed = NULL, cores = 1, progress = interactive(), save = NULL, report = NULL,
                 ...) {
  labels <- whole_matrix(labels)
  call_python("frmv", table = "x", more = list(...))
}

#' @rdname unsupervised
#' @export
laplacian_score <- function(x, n_neighbors = 5, bandwidth = "mean", standardize = "z_score") {
  found <- call_python("laplacian_score", table = "x")
  by_feature(x, found)
}

#' @rdname unsupervised
#' @export
svd_entropy <- function(x, standardize = "z_score", cores = 1) {
  found <- call_python("svd_entropy", table = "x")
  by_feature(x, found)
}

#' @rdname unsupervised
#' @export
list_unsupervised_methods <- function() call_python("list_unsupervised_methods")

#' @rdname unsupervised
#' @export
mean_plus_sd <- function(scores) call_python("mean_plus_sd")

#' @rdname unsupervised
#' @export
enough_clusterings <- function(x, ranking, target = 0.99, n_parts = 10) {
  call_python("enough_clusterings", table = "x")
}

#' @rdname unsupervised
#' @export
consensus_matrix <- function(labels, cores = 1) {
  labels <- whole_matrix(labels)
  call_python("consensus_matrix")
}

#' @rdname unsupervised
#' @export
consensus_partition <- function(labels, n_clusters, method = "average", partitioner = "spectral", seed = NULL) {
  labels <- whole_matrix(labels)
  call_python("consensus_partition")
}

#' @rdname unsupervised
#' @export
correlation_ratio <- function(x, labels, cores = 1) {
  labels <- if (is.matrix(labels)) whole_matrix(labels) else as.integer(as.factor(labels))
  found <- call_python("correlation_ratio", table = "x")
  if (is.null(dim(found))) by_feature(x, found) else found
}

#' @rdname unsupervised
#' @export
affinity_matrix <- function(x, feature) {
  feature <- match(feature_names(x, feature, "feature"), if (is.data.frame(x)) names(x) else names_of(x)) - 1L
  x <- as.matrix(x)
  call_python("affinity_matrix")
}

#' @rdname unsupervised
#' @export
adjusted_rand_between_matrices <- function(first, second) call_python("adjusted_rand_between_matrices")

#' @rdname unsupervised
#' @export
evaluate_rankings <- function(x, y, methods = c("frcm", "frmv", "laplacian_score", "svd_entropy", "pca"),
                              rule = "mean_plus_sd", n_trials = 40, n_clusters = NULL, n_init = 10,
                              n_clusterings = 100, clusterer = "k_means", standardize = "z_score",
                              seed = NULL, cores = 1, progress = interactive(), ...) {
  call_python("evaluate_rankings", table = "x", target = "y", more = list(...))
}

#' @rdname unsupervised
#' @export
summarise_trials <- function(trials) call_python("summarise_trials")

#' @rdname unsupervised
#' @export
clustering_curve <- function(x, y, rankings, sizes, n_trials = 40, n_clusters = NULL, n_init = 10,
                             standardize = "z_score", seed = NULL, cores = 1, progress = interactive(), ...) {
  call_python("clustering_curve", table = "x", target = "y", more = list(...))
}

#' @rdname unsupervised
#' @export
borda_curve <- function(scores, reference, fractions = NULL) call_python("borda_curve")

# Numbers of clusters as whole numbers.
whole_matrix <- function(labels) {
  if (is.matrix(labels) && is.numeric(labels) && all(labels == round(labels))) storage.mode(labels) <- "integer"
  labels
}
