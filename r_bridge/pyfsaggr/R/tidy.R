#' Results for the packages generics, ggplot2 and recipes
#'
#' `tidy()` gives the rows of a result, `glance()` one row about the run, `autoplot()` the picture of
#' `plot()` as a ggplot. They are methods of the generics of those packages, registered when these are
#' loaded.
#'
#' @param x,object A result of [wam()] or [bam()], [stability()], [aggregator_influence()], [evaluate()],
#'   [error_control()], [permute_target()], [committee()] or [vote_features()].
#' @param n Number of features that are shown.
#' @param ... Not used.
#' @return A data frame (a tibble if that package is installed), or a ggplot.
#' @name tidiers
#' @examples
#' if (pyfsagg_available() && requireNamespace("generics", quietly = TRUE)) {
#'   result <- wam(Species ~ ., data = iris, n_resamples = 20, seed = 1)
#'   generics::tidy(result)
#'   generics::glance(result)
#' }
NULL

as_tidy <- function(frame) {
  rownames(frame) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

#' @rdname tidiers
#' @exportS3Method generics::tidy
tidy.pyfsagg_result <- function(x, ...) as_tidy(as.data.frame(x))

#' @rdname tidiers
#' @exportS3Method generics::tidy
tidy.pyfsagg_evaluation <- function(x, ...) as_tidy(x$summary)

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_result <- function(x, ...) {
  if (is.data.frame(x)) return(as_tidy(data.frame(n_rows = nrow(x))))
  as_tidy(as.data.frame(Filter(function(part) is.atomic(part) && length(part) == 1L, unclass(x))))
}

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_ensemble <- function(x, ...) {
  as_tidy(data.frame(
    method = x$method, filters = paste(names(x$score_matrices), collapse = ", "),
    aggregator = x$parameters$aggregator, resampling = x$parameters$resampling,
    n_resamples = nrow(x$combined), n_features = ncol(x$combined), seed = as.double(x$parameters$seed)
  ))
}

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_influence <- function(x, ...) {
  as_tidy(data.frame(
    n_aggregators = length(x$ranks), n_folds = nrow(x$ranks[[1]]), n_features = ncol(x$ranks[[1]]),
    n_samples = x$data$n_samples, seed = as.double(x$parameters$seed)
  ))
}

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_evaluation <- function(x, ...) {
  number <- function(column) length(unique(x$summary[[column]]))
  as_tidy(data.frame(
    n_methods = number("method"), n_classifiers = number("classifier"), n_thresholds = number("threshold"),
    n_folds = x$parameters$n_folds, n_repeats = x$parameters$n_repeats, n_samples = x$data$n_samples,
    n_features = x$data$n_features, seed = as.double(x$parameters$seed)
  ))
}

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_errors <- function(x, ...) {
  as_tidy(data.frame(
    n_features = nrow(x$table), n_selected = if (is.null(x$q)) NA_integer_ else length(x$selected),
    q = or_na(x$q), threshold = or_na(x$threshold), bound = or_na(x$bound)
  ))
}

or_na <- function(value) if (is.null(value)) NA_real_ else as.double(value)

#' @rdname tidiers
#' @exportS3Method generics::glance
glance.pyfsagg_committee <- function(x, ...) {
  all <- x$learners[1, ]
  as_tidy(data.frame(
    rule = x$parameters$rule, n_voters = all$voters, n_learners = length(setdiff(unique(x$voters$learner), "")),
    n_features = nrow(x$ranking), performance = all$performance, jaccard = all$jaccard, seed = or_na(x$parameters$seed)
  ))
}

#' @rdname tidiers
#' @param measure The measure of stability.
#' @exportS3Method ggplot2::autoplot
autoplot.pyfsagg_result <- function(object, n = 20, measure = "spearman", ...) {
  picture <- picture_of(object, n, measure)
  frame <- data.frame(name = factor(picture$names, rev(picture$names)), picture[c("middle", "lower", "upper")])
  known <- stats::complete.cases(frame)
  ggplot2::ggplot(frame, ggplot2::aes(.data$middle, .data$name)) +
    ggplot2::geom_point(colour = BLUE) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), frame[known, ], colour = BLUE) +
    ggplot2::labs(x = picture$xlab, y = NULL) +
    (if (length(picture$xlim)) ggplot2::expand_limits(x = picture$xlim)) +
    (if (!is.null(picture$limit)) ggplot2::geom_vline(xintercept = picture$limit, linetype = 2, colour = "grey40"))
}

#' @rdname tidiers
#' @param metric,protocol The metric and the protocol of an evaluation.
#' @exportS3Method ggplot2::autoplot
autoplot.pyfsagg_evaluation <- function(object, metric = object$summary$metric[1],
                                        protocol = object$summary$protocol[1], ...) {
  shown <- part_of_evaluation(object, metric, protocol)
  shown$classifier <- gsub("_", " ", shown$classifier)
  shown$share <- 100 * shown$threshold
  all <- shown[shown$method == ALL_FEATURES, ]
  methods <- unique(shown$method[shown$method != ALL_FEATURES])
  lines <- shown[shown$method %in% methods, ]
  lines$method <- factor(lines$method, methods, gsub("_", " ", methods))
  aes <- ggplot2::aes
  ggplot2::ggplot(lines, aes(.data$share, .data$mean, colour = .data$method)) +
    ggplot2::geom_hline(aes(yintercept = .data$mean), all, linetype = 2, colour = "grey40") +
    ggplot2::geom_line() + ggplot2::geom_point() +
    ggplot2::facet_wrap("classifier") +
    ggplot2::scale_colour_manual(values = line_colours(length(methods))) +
    ggplot2::labs(x = "% of features kept (dashed: all features)", y = gsub("_", " ", metric), colour = NULL)
}

utils::globalVariables(c(".data", "self", "super")) # of ggplot2 and R6
