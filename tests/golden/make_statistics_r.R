# Writes tests/golden/data/statistics_r.json: tables and what stats, afex and rstatix say of them.
# Run from the root of the repository: Rscript tests/golden/make_statistics_r.R
source("r_bridge/pyfsagg_rpy2/statistics.R")
published <- function(name) {
  read.csv(file.path("data", "published", paste0(name, ".csv")), stringsAsFactors = FALSE)
}

# ---- tables of subjects by conditions --------------------------------------------------------
tables <- list()
accuracy <- published("table_4_3_weighted_average_accuracy")
for (classifier in unique(accuracy$classifier)) {
  part <- accuracy[accuracy$classifier == classifier, -(1:2)]
  tables[[paste0("table_4_3_", classifier)]] <- as.matrix(part)
}
spread_out <- function(long, column) {
  long$value <- as.numeric(long$value)
  wide <- tapply(long$value, list(
    factor(long$dataset, unique(long$dataset)), factor(long[[column]], unique(long[[column]]))
  ), sum)
  wide[complete.cases(wide), ]
}
for (source_table in list(
  list("table_4_4_stability_by_filter", "method"),
  list("table_4_5_stability_by_aggregator_information_gain", "aggregator"),
  list("table_4_6_stability_by_aggregator_mrmr", "aggregator")
)) {
  long <- published(source_table[[1]])
  for (measure in unique(long$measure)) {
    name <- paste0(substr(source_table[[1]], 1, 9), "_", measure)
    tables[[name]] <- spread_out(long[long$measure == measure, ], source_table[[2]])
  }
}
tables$small <- rbind(c(45, 50, 55), c(42, 42, 45), c(36, 41, 43), c(39, 35, 40), c(51, 55, 59))
tables$two_conditions <- tables$small[, 1:2]
tables$as_many_subjects_as_conditions <- rbind(
  c(1.25, 3.5, 2.25, 5), c(0.5, 4.375, 2, 6.25), c(2.125, 2.25, 3.75, 4.5), c(1.75, 5, 2.875, 4.75)
)
tables$many_ties <- rbind(
  c(1, 1, 2, 2), c(3, 3, 3, 4), c(2, 2, 2, 2), c(5, 4, 4, 6), c(1, 2, 2, 3), c(3, 3, 4, 4)
)
tables$wide_scales <- sweep(tables$many_ties + outer(1:6, 1:4, function(i, j) sin(i * j)),
  2, c(1, 10, 100, 1000), `*`
)

of_table <- function(values) {
  pairs <- combn(ncol(values), 2)
  by_pair <- function(f) lapply(seq_len(ncol(pairs)), function(i) {
    x <- values[, pairs[1, i]]
    y <- values[, pairs[2, i]]
    if (all(x == y)) NULL else f(x, y)
  })
  t_tests <- by_pair(function(x, y) t_test(x, y, TRUE))
  p <- vapply(t_tests, function(one) if (is.null(one)) 1 else one$p, 0)
  list(
    values = values,
    rm_anova = rm_anova(values),
    rm_anova_rstatix = rm_anova_rstatix(values),
    friedman = friedman(values),
    t_tests = t_tests,
    adjusted = list(
      bonferroni = p.adjust(p, "bonferroni"), holm = p.adjust(p, "holm"), bh = p.adjust(p, "BH")
    ),
    signed_rank = by_pair(function(x, y) wilcoxon(x, y, TRUE, "two.sided", NA, TRUE)),
    signed_rank_uncorrected = by_pair(function(x, y) wilcoxon(x, y, TRUE, "two.sided", FALSE, FALSE))
  )
}

# ---- independent groups of unequal size ------------------------------------------------------
grouped <- list(
  unbalanced = list(c(6.1, 8.2, 4.4, 5.3, 7.7), c(8.1, 12.3, 9.6), c(13.2, 9.1, 11.5, 8.8, 10.4, 30.5)),
  ties = list(c(1, 2, 2, 3, 3, 3), c(2, 3, 4, 4), c(4, 4, 5)),
  two_groups = list(c(0.12, 0.55, 0.31), c(0.91, 0.42, 0.77, 1.31))
)
for (measure in c("spearman", "jaccard", "canberra")) {
  columns <- tables[[paste0("table_4_5_", measure)]]
  grouped[[paste0("table_4_5_", measure)]] <- unname(as.list(as.data.frame(columns)))
}
of_groups <- function(samples) {
  values <- unlist(samples)
  groups <- rep(seq_along(samples), lengths(samples))
  pairs <- combn(length(samples), 2)
  by_pair <- function(f) lapply(seq_len(ncol(pairs)), function(i) {
    f(samples[[pairs[1, i]]], samples[[pairs[2, i]]])
  })
  list(
    samples = samples,
    classical = one_way_anova(values, groups, FALSE),
    welch = one_way_anova(values, groups, TRUE),
    pooled_p = pooled_t_tests(values, groups, "none"),
    pooled_p_holm = pooled_t_tests(values, groups, "holm"),
    welch_t_tests = by_pair(function(x, y) t_test(x, y, FALSE)),
    rank_sum = by_pair(function(x, y) wilcoxon(x, y, FALSE, "two.sided", NA, TRUE))
  )
}

# ---- signed ranks: sides, corrections, zeros, ties, sizes ------------------------------------
times <- published("table_4_2_running_times")
differences <- list(
  running_times = times$wam_seconds - times$bam_seconds,
  no_ties = c(1.1, 2.5, 0.4, 3.2, 1.9, -0.3, 0.7, -1.2),
  one_sided_effect = c(1:12) / 8,
  ties = c(1, 1, 2, -2, 3, 3, 3, -1, 4),
  zeros = c(0, 0, 1.5, -2.5, 3.25, 4, 5.5, -0.5),
  three = c(0.5, 1.25, -2),
  sixty = round(100 * sin(1:60) + 20, 6)
)
of_differences <- function(d) {
  cases <- expand.grid(
    alternative = c("two.sided", "less", "greater"), exact = c(NA, FALSE),
    correction = c(TRUE, FALSE), stringsAsFactors = FALSE
  )
  list(differences = d, tests = lapply(seq_len(nrow(cases)), function(i) {
    c(as.list(cases[i, ]), wilcoxon(
      d, 0 * d, TRUE, cases$alternative[i], cases$exact[i], cases$correction[i]
    ))
  }))
}

noncentral <- list(
  t = lapply(list(c(2, 10), c(-3.5, 4), c(0, 20), c(12, 8), c(1.3, 2.4)), function(a) {
    c(list(t = a[1], df = a[2]), noncentral_t_interval(a[1], a[2], 0.95))
  }),
  f = lapply(list(c(4, 3, 36), c(0.7, 1.63, 14.7), c(195, 4, 50), c(2.2, 2, 9)), function(a) {
    c(list(f = a[1], df_effect = a[2], df_error = a[3]), noncentral_f_interval(a[1], a[2], a[3], 0.95))
  })
)
q <- c(0.5, 1.5, 2.5, 3.5, 4.5, 6)
tails <- lapply(c(2, 3, 5, 10), function(k) {
  list(n_means = k, q = q, tail = studentized_range_tail(q, k))
})

jsonlite::write_json(
  list(
    made_with = list(
      R = as.character(getRversion()), afex = as.character(packageVersion("afex")),
      car = as.character(packageVersion("car")), rstatix = as.character(packageVersion("rstatix"))
    ),
    tables = lapply(tables, function(values) of_table(unname(values))),
    groups = lapply(grouped, of_groups),
    differences = lapply(differences, of_differences),
    noncentral = noncentral,
    studentized_range = tails
  ),
  "tests/golden/data/statistics_r.json",
  digits = NA, auto_unbox = TRUE, na = "null", null = "null"
)
