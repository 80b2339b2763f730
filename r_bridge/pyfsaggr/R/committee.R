#' Let learners vote on the features of a table
#'
#' Each learner selects features on every resample of the rows, is fitted to these rows with the selected features,
#' and its performance is measured on the rows that are not in the resample. A voting rule orders the features by
#' all selections, as in [vote_features()].
#'
#' Factors are one-hot encoded for learners, with `NA` as a level; the importance of a factor is the sum
#' over its levels. Missing numbers are replaced by the median in the resample. With `feature_groups` ([settings])
#' a group of columns is selected as one feature.
#'
#' @inheritParams wam
#' @param y Class labels (factor, text, logicals or up to ten different whole numbers), or numbers with
#'   `task = "regression"`.
#' @param learners Names of `list_methods("classifiers")`, or of `list_methods("regressors")`; or a list of such names,
#'   of lists of a name and parameters of scikit-learn, such as `list("rf", n_estimators = 50)`, and of functions of a
#'   matrix `x` and the labels `y` that return one number for each column, larger in size for more important ones. The
#'   names of the list are the names of the voters. A function cannot predict, so it has no performance. By default a
#'   linear learner and a random forest.
#' @param by How a learner selects: `"importance"` (the features of largest importance or coefficient),
#'   `"elimination"` (removes the least important ones repeatedly), or `"sequential"` (adds the one that helps
#'   most, by cross-validation), also for learners without importances.
#' @param n_features Number of features: a whole number, a share below 1, or `"auto"`, the best by importances or
#'   cross-validation.
#' @param direction Direction of a sequential selection: `"forward"` or `"backward"`.
#' @param step Number or share of the features that an elimination removes at a time.
#' @param folds Folds of the cross-validation inside a resample.
#' @param tolerance For a sequential selection with `"auto"`: smallest improvement for which a feature is added.
#' @param selection A named list for learners that select in another way, such as
#'   `list(lr = list(by = "elimination", n_features = 5))`.
#' @param metric A scorer of scikit-learn, larger is better: `"accuracy"`, `"balanced_accuracy"`, `"roc_auc"`,
#'   `"r2"`, ...; by default `"accuracy"` or `"r2"`.
#' @param rule,size As in [vote_features()].
#' @param voter_weights Weights of the voters, as in [vote_features()].
#' @param n_resamples Number of resamples.
#' @param resampling A name from `list_methods("resampling")`; `"subsample"` draws 80 % of the rows unless
#'   `resampling_params` sets another `fraction`. Some rows must remain for testing.
#' @param cores Number of processes; the result does not depend on it. R functions run on one.
#' @return An object of class `pyfsagg_committee`, as of [vote_features()]. Its `voters` have the columns `learner`,
#'   `resample`, `n_features`, `performance`, `n_test`, `message` (the error, if any) and `weight`.
#' @seealso [vote_features()], [selected()]
#' @examples
#' \donttest{
#' if (pyfsagg_available()) {
#'   apart <- function(x, y) apply(x, 2, function(column) summary(lm(column ~ y))$r.squared)
#'   learners <- list("lr", apart = apart)
#'   found <- committee(Species ~ ., data = iris, learners = learners, n_resamples = 5, seed = 1)
#'   found
#'   selected(found, 2)
#' }
#' }
#' @export
committee <- function(x, ...) UseMethod("committee", table_or_formula(x, ...))

#' @rdname committee
#' @export
committee.formula <- function(x, data, subset = NULL, na.action = NULL, ...) {
  called(with_formula(committee.default, x, data, substitute(subset), na.action, ..., frame = parent.frame()))
}

#' @rdname committee
#' @export
committee.default <- function(x, y = NULL, learners = NULL, by = "importance", n_features = 0.25, direction = "forward",
                              step = 1, folds = 5, tolerance = 0.001, selection = NULL, metric = NULL,
                              rule = "approval", voter_weights = NULL, size = NULL, n_resamples = 30,
                              resampling = "subsample", seed = NULL, cores = 1, progress = interactive(), ...) {
  called(run_python("committee", run_arguments(
    x, y, seed, cores, progress, learners = learners, by = by, n_features = n_features, direction = direction,
    step = step, folds = folds, tolerance = tolerance, selection = selection, metric = metric, rule = rule,
    voter_weights = voter_weights, size = size, n_resamples = check_count(n_resamples, "n_resamples"),
    resampling = resampling, ...
  )))
}

# Names, names with parameters, and functions; each with the name of its voters, if it was given one.
read_learners <- function(value, name) {
  if (is.function(value)) value <- list(value)
  if (!length(value) || !(is.character(value) || is.list(value)) || anyNA(value)) {
    refuse_argument(name, "names of list_methods('classifiers'), or a list of names, lists and functions", value)
  }
  labels <- if (is.null(names(value))) rep("", length(value)) else names(value)
  lapply(seq_along(value), function(i) {
    each <- value[[i]]
    if (is.function(each)) {
      label <- if (nzchar(labels[i])) labels[i] else "r_function"
      call <- answered(function(x, y) {
        colnames(x) <- names_of(x)
        by_column(each(x, unlist(y)), x)
      })
      return(list(label = label, call = call, version = attr(each, "checkpoint_version")))
    }
    parameters <- if (is.list(each)) each[-1]
    c(
      list(label = labels[i], learner = check_string(each[[1]], name, "a name, or a list that begins with one")),
      if (length(parameters)) list(parameters = named_list(parameters, name))
    )
  })
}

committee_result <- function(found) {
  frame <- function(part) if (!is.null(part)) missing_as_na(as_frame(part))
  voters <- frame(found$voters)
  if (!is.null(voters$resample)) voters$resample <- voters$resample + 1L
  knee <- unlist(found$knee)
  support <- found$support
  dimnames(support) <- list(NULL, unlist(found$features))
  as_result(
    list(
      ranking = as_frame(found$ranking), voters = voters, learners = frame(found$learners),
      front = frame(found$front),
      knee = if (!is.null(knee)) list(n_features = as.integer(knee[1]), performance = knee[2]),
      sentences = as.character(unlist(found$sentences)), support = support, groups = columns_by_group(found$data),
      parameters = found$parameters, data = found$data, versions = found$versions
    ),
    "committee", files = found$files
  )
}

#' @rdname selected
#' @export
selected.pyfsagg_committee <- function(object, n = 0.25, columns = FALSE, ...) {
  features_or_columns(best_of(object$ranking$feature, n), object, columns)
}
