BLUE <- "#0072B2"

# Points with intervals, one line for each name, the first on top. Every name is written: axis() leaves
# out those that it finds too close. The margin takes up to half of the width; longer names lose their
# middle.
dot_plot <- function(picture, given) {
  names <- picture$names
  places <- rev(seq_along(names))
  size <- min(1, max(0.5, 25 / length(names)))
  line <- graphics::par("csi")
  room <- graphics::par("din")[1] / 2
  names <- shorten(names, room - line, size)
  width <- max(graphics::strwidth(names, "inches", cex = size))
  old <- graphics::par(mai = c(4 * line, width + 1.2 * line, 2 * line, line))
  on.exit(graphics::par(old))
  look <- utils::modifyList(list(
    xlim = range(picture$middle, picture$lower, picture$upper, picture$xlim, picture$limit, na.rm = TRUE),
    ylim = c(0.5, length(names) + 0.5), yaxt = "n", xlab = picture$xlab, ylab = "", pch = 19, col = BLUE
  ), given)
  do.call(graphics::plot, c(list(picture$middle, places), look))
  graphics::segments(picture$lower, places, picture$upper, places, col = look$col)
  if (!is.null(picture$limit)) graphics::abline(v = picture$limit, lty = 2, col = "grey40")
  if (isFALSE(look$axes)) return(invisible())
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
#' @param ... Arguments of [graphics::plot()], which go before those that the picture has; of `autoplot()` not used.
#' @return The plotted data as a data frame, invisibly.
#' @name plots
#' @examples
#' if (pyfsagg_available()) {
#'   plot(wam(Species ~ ., data = iris, n_resamples = 20, seed = 1), xlab = "rank", xlim = c(0, 4))
#' }
#' @export
plot.pyfsagg_result <- function(x, n = 20, measure = "spearman", ...) {
  picture <- picture_of(x, n, measure)
  dot_plot(picture, list(...))
  invisible(picture$frame)
}

# What plot() and autoplot() draw of a result: points with intervals.
picture_of <- function(x, n, measure) {
  first <- function(frame) utils::head(frame, check_count(n, "n"))
  dots <- function(frame, names, middle, xlab, lower = middle, upper = middle, xlim = NULL, limit = NULL) {
    list(frame = frame, names = gsub("_", " ", names), middle = middle, lower = lower, upper = upper, xlab = xlab,
         xlim = xlim, limit = limit)
  }
  switch(class(x)[1],
    pyfsagg_ensemble = {
      shown <- first(x$ranking)
      dots(shown, shown$feature, shown$rank_median, "rank over resamples: median and 95 % interval", shown$rank_lower,
           shown$rank_upper)
    },
    pyfsagg_influence = {
      check_choice(measure, "measure", unique(x$stability$measure))
      shown <- x$stability[x$stability$measure == measure, ]
      dots(shown, gsub("_", " ", shown$aggregator), shown$value, paste0(measure, ", with interval over folds"),
           shown$lower, shown$upper)
    },
    pyfsagg_stability = dots(
      as.data.frame(x), gsub("_", " ", x$measure), x$value,
      paste0("stability", if (!all(is.na(x$lower))) ", with interval over resamples"), x$lower, x$upper
    ),
    pyfsagg_errors = {
      shown <- first(x$table)
      kind <- intersect(names(ERROR_LIMITS), names(shown))[1]
      dots(shown, shown$feature, shown[[kind]], ERROR_LIMITS[[kind]], xlim = 0, limit = switch(
        kind, family_wise_p_value = 0.05, pair_frequency = x$threshold, x$level
      ))
    },
    pyfsagg_committee = {
      shown <- first(x$ranking)
      dots(shown, shown$feature, shown$share, "share of the voters that select the feature", xlim = c(0, 1))
    },
    stop_pyfsagg(paste0("there is no picture here of ", describe(x), "; write_picture() may have one"), "input_type")
  )
}

# What is drawn of limits on false selections, by the column that a table has.
ERROR_LIMITS <- c(
  family_wise_p_value = "family-wise p-value", pair_frequency = "share of halves that select the feature",
  q_value = "smallest false discovery rate that selects the feature",
  expected_false = "smallest number of expected false selections that selects the feature"
)

#' @rdname plots
#' @export
plot.pyfsagg_evaluation <- function(x, metric = x$summary$metric[1], protocol = x$summary$protocol[1], ...) {
  shown <- part_of_evaluation(x, metric, protocol)
  classifiers <- unique(shown$classifier)
  methods <- setdiff(unique(shown$method), ALL_FEATURES)
  colours <- stats::setNames(line_colours(length(methods)), methods)
  cells <- grDevices::n2mfrow(length(classifiers) + 1L)
  old <- graphics::par(mfrow = rev(cells), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  for (classifier in classifiers) {
    panel <- shown[shown$classifier == classifier, ]
    look <- utils::modifyList(list(
      xlab = "% of features kept", ylab = gsub("_", " ", metric), main = gsub("_", " ", classifier), type = "b",
      pch = 20
    ), list(...))
    frame <- list(range(100 * shown$threshold), range(shown$mean, na.rm = TRUE))
    do.call(graphics::plot, c(frame, replace(look, "type", "n")))
    graphics::abline(h = panel$mean[panel$method == ALL_FEATURES], lty = 2, col = "grey40")
    for (method in methods) {
      line <- panel[panel$method == method, ]
      line <- line[order(line$threshold), ]
      graphics::lines(100 * line$threshold, line$mean, col = colours[method], type = look$type, pch = look$pch)
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
