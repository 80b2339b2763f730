BLUE <- "#0072B2"

# Points with intervals, one line for each name, the first on top. Every name is written: axis() leaves
# out those that it finds too close. The margin takes up to half of the width; longer names lose their
# middle.
dot_plot <- function(names, middle, lower, upper, xlab, ..., xlim = range(middle, lower, upper, na.rm = TRUE),
                     ylab = "", pch = 19, col = BLUE) {
  places <- rev(seq_along(names))
  size <- min(1, max(0.5, 25 / length(names)))
  line <- graphics::par("csi")
  room <- graphics::par("din")[1] / 2
  names <- shorten(names, room - line, size)
  width <- max(graphics::strwidth(names, "inches", cex = size))
  old <- graphics::par(mai = c(4 * line, width + 1.2 * line, 2 * line, line))
  on.exit(graphics::par(old))
  graphics::plot(
    middle, places, xlim = xlim, ylim = c(0.5, length(names) + 0.5), yaxt = "n", xlab = xlab, ylab = ylab,
    pch = pch, col = col, ...
  )
  graphics::segments(lower, places, upper, places, col = col)
  graphics::axis(2, places, FALSE, tcl = -0.2)
  graphics::mtext(names, 2, line = 0.6, at = places, las = 1, cex = size * graphics::par("cex"))
}

# Names that fit into so many inches: both ends tell more than one.
shorten <- function(names, room, size) {
  graphics::plot.new()
  graphics::par(new = TRUE)
  for (keep in seq(max(nchar(names), 6L), 6L)) {
    long <- nchar(names) > keep
    front <- ceiling((keep - 2) / 2)
    back <- keep - 2 - front
    short <- names
    short[long] <- paste0(substr(names[long], 1, front), "..",
                          substr(names[long], nchar(names[long]) - back + 1, nchar(names[long])))
    if (max(graphics::strwidth(short, "inches", cex = size)) <= room) break
  }
  short
}

#' Plots of results
#'
#' @param x A result of [wam()] or [bam()], [stability()], [aggregator_influence()], [evaluate()],
#'   [error_control()], [permute_target()], [committee()] or [vote_features()].
#' @param n Number of features that are shown.
#' @param measure The measure of stability.
#' @param metric,protocol The metric and the protocol of an evaluation.
#' @param xlab,ylab Texts of the axes.
#' @param ... Passed on to [graphics::plot()]; of `autoplot()` not used.
#' @return The plotted data as a data frame, invisibly.
#' @name plots
#' @examples
#' if (pyfsagg_available()) {
#'   plot(wam(Species ~ ., data = iris, n_resamples = 20, seed = 1), xlab = "rank")
#' }
#' @export
plot.pyfsagg_ensemble <- function(x, n = 20, xlab = "rank over resamples: median and 95 % interval", ...) {
  shown <- utils::head(x$ranking, check_count(n, "n"))
  dot_plot(
    shown$feature, shown$rank_median, shown$rank_lower, shown$rank_upper, xlab, ...
  )
  invisible(shown)
}

#' @rdname plots
#' @export
plot.pyfsagg_influence <- function(x, measure = "spearman",
                                   xlab = paste0(measure, ", with interval over folds"), ...) {
  check_choice(measure, "measure", unique(x$stability$measure))
  shown <- x$stability[x$stability$measure == measure, ]
  dot_plot(gsub("_", " ", shown$aggregator), shown$value, shown$lower, shown$upper, xlab, ...)
  invisible(shown)
}

#' @rdname plots
#' @export
plot.pyfsagg_evaluation <- function(x, metric = x$summary$metric[1], protocol = x$summary$protocol[1],
                                    xlab = "% of features kept", ylab = gsub("_", " ", metric), ...) {
  shown <- part_of_evaluation(x, metric, protocol)
  classifiers <- unique(shown$classifier)
  methods <- setdiff(unique(shown$method), ALL_FEATURES)
  colours <- stats::setNames(line_colours(length(methods)), methods)
  cells <- grDevices::n2mfrow(length(classifiers) + 1L)
  old <- graphics::par(mfrow = rev(cells), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  for (classifier in classifiers) {
    panel <- shown[shown$classifier == classifier, ]
    graphics::plot(
      range(100 * shown$threshold), range(shown$mean, na.rm = TRUE), type = "n", xlab = xlab, ylab = ylab,
      main = gsub("_", " ", classifier), ...
    )
    all <- panel$mean[panel$method == ALL_FEATURES]
    graphics::abline(h = all, lty = 2, col = "grey40")
    for (method in methods) {
      line <- panel[panel$method == method, ]
      line <- line[order(line$threshold), ]
      graphics::lines(100 * line$threshold, line$mean, col = colours[method], type = "b", pch = 20)
    }
  }
  has_all <- any(shown$method == ALL_FEATURES)
  graphics::plot.new()
  graphics::legend(
    "center", c(gsub("_", " ", methods), if (has_all) ALL_FEATURES),
    col = c(colours, if (has_all) "grey40"), lty = c(rep(1, length(methods)), if (has_all) 2),
    pch = c(rep(20, length(methods)), if (has_all) NA), bty = "n"
  )
  invisible(shown)
}

#' @rdname plots
#' @export
plot.pyfsagg_stability <- function(x, xlab = stability_axis(x), ...) {
  dot_plot(gsub("_", " ", x$measure), x$value, x$lower, x$upper, xlab, ...)
  invisible(x)
}

stability_axis <- function(x) {
  if (all(is.na(x$lower))) "stability" else "stability, with interval over resamples"
}

#' @rdname plots
#' @export
plot.pyfsagg_errors <- function(x, n = 20, xlab = shown$text, ...) {
  shown <- errors_shown(x, n)
  dot_plot(shown$frame$feature, shown$middle, shown$middle, shown$middle, xlab, ...,
           xlim = range(0, shown$middle, shown$limit))
  if (!is.null(shown$limit)) graphics::abline(v = shown$limit, lty = 2, col = "grey40")
  invisible(shown$frame)
}

SHARE_OF_VOTERS <- "share of the voters that select the feature"

#' @rdname plots
#' @export
plot.pyfsagg_committee <- function(x, n = 20, xlab = SHARE_OF_VOTERS, ...) {
  shown <- utils::head(x$ranking, check_count(n, "n"))
  dot_plot(shown$feature, shown$share, shown$share, shown$share, xlab, ..., xlim = c(0, 1))
  invisible(shown)
}

# The column of an error control that is drawn, and the limit that decides.
errors_shown <- function(object, n) {
  frame <- utils::head(object$table, check_count(n, "n"))
  if ("family_wise_p_value" %in% names(frame)) {
    return(list(frame = frame, middle = frame$family_wise_p_value, limit = 0.05, text = "family-wise p-value"))
  }
  list(
    frame = frame, middle = frame$pair_frequency, limit = object$threshold,
    text = "share of halves that select the feature"
  )
}

ALL_FEATURES <- "all features" # the method of the dashed line

part_of_evaluation <- function(x, metric, protocol) {
  check_choice(metric, "metric", unique(x$summary$metric))
  check_choice(protocol, "protocol", unique(x$summary$protocol))
  x$summary[x$summary$metric == metric & x$summary$protocol == protocol, ]
}

# Colours that colour-blind readers tell apart; no yellow on white.
line_colours <- function(n) {
  rep_len(c(BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"), n)
}
