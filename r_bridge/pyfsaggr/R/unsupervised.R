#' Tables without classes
#'
#' `rank_unsupervised()` ranks features by how well they agree with an ensemble of clusterings of the samples
#' (`frcm()`, consensus affinity), by their ranks in many clusterings (`frmv()`), by neighbouring samples
#' (`laplacian_score()`) or by the entropy of singular values (`svd_entropy()`). `clustering_curve()` measures how well
#' clusters of the best features agree with known classes.
#'
#' @param x A data frame or matrix of numbers without missing values, one row per sample.
#' @param y Known classes, to compare clusters with.
#' @param method A name from `list_methods("unsupervised")`.
#' @param n_clusterings Number of clusterings.
#' @param feature_fraction Share of the features that each clustering sees.
#' @param k_range Smallest and largest number of clusters; `NULL`: by the number of samples.
#' @param clusterer A name, such as `"k_means"`.
#' @param standardize How columns are scaled: `"z_score"`, `"min_max"`, `"center"` or `"none"`.
#' @param labels Clusterings made elsewhere: a matrix of whole numbers, one row per clustering.
#' @param aggregator A name from `list_methods("aggregators")`.
#' @param association How a feature and a clustering are compared.
#' @param seed A whole number; by default R draws one.
#' @param cores,progress As in [wam()].
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @param ... Options of the method, such as `seed`, or `checkpoint`, `scratch` and `memory_limit` ([settings]).
#' @param n_neighbors,bandwidth Neighbours of a sample, and the width of their weights.
#' @param n_clusters Number of clusters; by default that of the classes.
#' @param rankings A named list of results, or of scores with one number for each feature.
#' @param sizes Numbers of best features to cluster on.
#' @param n_trials,n_init How often k-means is run, and from how many starts.
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
#'   svd_entropy(iris[1:4])
#'   frmv(iris[1:4], n_clusterings = 5, seed = 1)$ranking
#'   rank_unsupervised(iris[1:4], "frcm", n_clusterings = 5, seed = 1)$ranking
#'   clustering_curve(iris[1:4], iris$Species, list(frcm = found), sizes = 2, n_trials = 2, seed = 1)
#' }
NULL

#' @rdname unsupervised
#' @export
rank_unsupervised <- function(x, method = "frcm", save = NULL, report = NULL, ...) {
  more <- list(...)
  drawn <- !method %in% c("laplacian_score", "svd_entropy")
  if (drawn && is.null(more$seed)) more$seed <- python_seed(NULL, more$checkpoint)
  call_python("rank_unsupervised", x = "table", more = more)
}

# Numbers of clusters as whole numbers; of one clustering anything that tells clusters apart.
whole_labels <- function(labels) {
  if (!is.matrix(labels)) return(as.integer(as.factor(labels)))
  if (is.numeric(labels) && all(labels == round(labels))) storage.mode(labels) <- "integer"
  labels
}
