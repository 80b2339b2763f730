#' Save, report and compare results
#'
#' `write_result()` writes a result into a folder, for [load_result()] and Python, `write_report()` its page,
#' and `write_picture()` one of its pictures. `clusters()` gives the selection frequencies of clusters of similar
#' features; `compare_runs()` the changes between two rankings;
#' `compare_methods()` tests which methods of an evaluation differ; `fewest_features()` gives the smallest number of
#' features within one standard error of the best; `final_list()` the features most often among the best in the training
#' folds of a nested cross-validation; `compare_aggregators()` tests which aggregators differ over several data sets.
#'
#' The standard error of `fewest_features()` accounts for shared training rows (Nadeau and Bengio 2003). It is a
#' rule, not a test. The performance of `final_list()` itself was not measured: each fold had its own list.
#'
#' @param object A result of [wam()], [bam()], [evaluate()], [aggregator_influence()], [committee()],
#'   [list_agreement()],
#'   [screen_genes()] or of a function with `save`.
#' @param path A new or empty folder.
#' @param file A file; the page is HTML, the format of a picture follows from its ending, such as `.png` or `.pdf`.
#' @param kind The picture; an error for an unknown name lists the available ones.
#' @param ... Settings of the page, such as `n_features_to_select`; options of the picture.
#' @param x The table of the run; without it, the clusters of the run (Pearson, 0.9).
#' @param n_features_to_select Number or share of the features that a resample selects; `"auto"`: the proposal
#'   ([selected()]). For `final_list()` a number, or `"auto"`: that of `fewest_features()`.
#' @param method A ranking of the evaluation; by default the one with the best value.
#' @param similarity `"pearson"`, `"spearman"`, or a matrix of similarities of the features; names of its rows
#'   and columns are matched to them.
#' @param min_similarity Smallest similarity of any two features of a cluster.
#' @param first,second Two results of [wam()] or [bam()] on the same features.
#' @param value The compared value: `"wacc"`, the average over thresholds, or one of the thresholds.
#' @param protocol,classifier,metric Parts of the evaluation.
#' @param baselines Whether baselines are compared, too.
#' @param confidence_level Level of tests and intervals.
#' @param rope Largest difference of no practical importance.
#' @param results A named list with a result of [aggregator_influence()] for each data set.
#' @param measure A measure of stability.
#' @param filter The filter, if the results have several.
#' @param n_features_to_select For measures of sets, the number of features.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return The writing functions return the path, invisibly; `clusters()`, `compare_runs()`, `fewest_features()` and
#'   `final_list()` data frames, the two other comparisons lists ([answers]).
#' @name results
#' @examples
#' if (pyfsagg_available()) {
#'   result <- wam(iris[1:4], iris$Species, n_resamples = 20, seed = 1)
#'   clusters(result, iris[1:4], n_features_to_select = 2, min_similarity = 0.8)
#'   write_report(result, tempfile(fileext = ".html"))
#'   write_picture(result, tempfile(fileext = ".png"))
#'   write_result(result, tempfile())
#'   compare_runs(result, wam(iris[1:4], iris$Species, "chi_squared", n_resamples = 20, seed = 1))
#'   folds <- function(x) aggregator_influence(x, iris$Species, n_folds = 3, n_resamples = 3, seed = 1)
#'   several <- list(one = folds(iris[1:4]), two = folds(iris[2:4]), three = folds(iris[1:3]))
#'   compare_aggregators(several)
#'   judged <- evaluate(iris[1:4], iris$Species, methods = "chi_squared", classifiers = "naive_bayes",
#'                      n_features_to_select = c(0.5, 0.75), n_resamples = 2, seed = 1)
#'   fewest_features(judged)
#'   final_list(judged, 2)
#' }
NULL

#' @rdname results
#' @export
write_result <- function(object, path) {
  written(object, list(save = folder_setting(path, "path")))
}

#' @rdname results
#' @export
write_report <- function(object, file, ...) {
  written(object, list(report = folder_setting(file, "file"), options = list(...)))
}

#' @rdname results
#' @export
write_picture <- function(object, file, kind = NULL, ...) {
  if (!is.null(kind)) check_string(kind, "kind")
  written(object, list(picture = folder_setting(file, "file"), kind = kind, options = list(...)))
}

written <- function(object, how) {
  how$options <- Map(python_value, how$options, names(how$options))
  invisible(ask("write", c(list(object = result_given(object)), how)))
}

result_given <- function(object) {
  if (!inherits(object, "pyfsagg_ensemble") && is.null(attr(object, "files"))) {
    stop_pyfsagg(paste0("object must be a result that can be kept, not ", describe(object)), "input_type")
  }
  python_value(object, "object")
}

#' @rdname results
#' @export
clusters <- function(object, x = NULL, n_features_to_select = "auto", similarity = NULL, min_similarity = NULL) {
  call_method(object, "clusters", list(
    n_features_to_select = check_threshold(n_features_to_select, "n_features_to_select"),
    similarity = similarity_given(similarity, object), min_similarity = min_similarity
  ), table = x)
}

#' @rdname results
#' @export
compare_runs <- function(first, second, n_features_to_select = "auto") {
  call_method(first, "compare", list(
    other = second, n_features_to_select = check_threshold(n_features_to_select, "n_features_to_select")
  ))
}

#' @rdname results
#' @export
compare_methods <- function(object, value = "wacc", protocol = NULL, classifier = NULL, metric = NULL,
                            baselines = FALSE, confidence_level = 0.95, rope = NULL) {
  call_method(object, "compare", list(
    value = value, protocol = protocol, classifier = classifier, metric = metric, baselines = baselines,
    confidence_level = confidence_level, rope = rope
  ))
}

#' @rdname results
#' @export
fewest_features <- function(object, metric = NULL) call_method(object, "fewest", list(metric = metric))

#' @rdname results
#' @export
final_list <- function(object, n_features_to_select = "auto", method = NULL) {
  call_method(object, "final_list", list(
    n_features_to_select = check_threshold(n_features_to_select, "n_features_to_select"), method = method
  ))
}
