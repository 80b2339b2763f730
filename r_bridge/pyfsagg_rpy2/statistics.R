# Reference values of stats, afex and rstatix for the tests in pyfsagg.statistics. Each function
# takes plain numbers and returns a named list of numbers; NA is what R leaves undefined.

as_long <- function(values) {
  data.frame(
    subject = factor(as.vector(row(values))),
    condition = factor(as.vector(col(values))),
    value = as.vector(values)
  )
}

# Repeated-measures analysis of variance by afex (and car, which afex calls).
rm_anova <- function(values) {
  fit <- suppressMessages(suppressWarnings(afex::aov_ez(
    "subject", "value", as_long(values),
    within = "condition", anova_table = list(es = "ges", correction = "none")
  )))
  summarised <- suppressWarnings(summary(fit$Anova, multivariate = FALSE))
  table <- summarised$univariate.tests
  partial <- suppressWarnings(anova(fit, es = "pes", correction = "none"))
  corrected <- summarised$pval.adjustments
  mauchly <- summarised$sphericity.tests
  # Without a test of sphericity car leaves zeros in the table of corrections.
  if (is.null(mauchly) || nrow(mauchly) == 0) corrected <- NULL
  pick <- function(part, column) {
    if (is.null(part) || length(part) == 0 || nrow(part) == 0) NA_real_ else part[1, column]
  }
  list(
    ss_effect = table["condition", "Sum Sq"],
    ss_error = table["condition", "Error SS"],
    ss_subjects = table["(Intercept)", "Error SS"],
    df_effect = table["condition", "num Df"],
    df_error = table["condition", "den Df"],
    f = table["condition", "F value"],
    p = table["condition", "Pr(>F)"],
    mauchly_w = pick(mauchly, "Test statistic"),
    mauchly_p = pick(mauchly, "p-value"),
    gg_epsilon = pick(corrected, "GG eps"),
    p_gg = pick(corrected, "Pr(>F[GG])"),
    hf_epsilon = pick(corrected, "HF eps"),
    p_hf = pick(corrected, "Pr(>F[HF])"),
    ges = fit$anova_table[["ges"]][1],
    partial_eta_squared = partial[["pes"]][1]
  )
}

# The same by rstatix, which rounds to three digits.
rm_anova_rstatix <- function(values) {
  fit <- suppressWarnings(rstatix::anova_test(
    as_long(values),
    dv = value, wid = subject, within = condition
  ))
  table <- if (inherits(fit, "list")) fit$ANOVA else as.data.frame(fit)
  found <- list(f = table$F[1], p = table$p[1], ges = table$ges[1])
  if (inherits(fit, "list")) {
    found$mauchly_w <- fit[["Mauchly's Test for Sphericity"]]$W
    found$mauchly_p <- fit[["Mauchly's Test for Sphericity"]]$p
    found$gg_epsilon <- fit[["Sphericity Corrections"]]$GGe
    found$p_gg <- fit[["Sphericity Corrections"]][["p[GG]"]]
    found$hf_epsilon <- fit[["Sphericity Corrections"]]$HFe
    found$p_hf <- fit[["Sphericity Corrections"]][["p[HF]"]]
  }
  found
}

one_way_anova <- function(values, groups, welch) {
  groups <- factor(groups)
  table <- summary(aov(values ~ groups))[[1]]
  found <- list(
    f = table[1, "F value"], df_effect = table[1, "Df"], df_error = table[2, "Df"],
    p = table[1, "Pr(>F)"]
  )
  if (welch) {
    test <- oneway.test(values ~ groups)
    found <- list(
      f = unname(test$statistic), df_effect = unname(test$parameter[1]),
      df_error = unname(test$parameter[2]), p = test$p.value
    )
  }
  c(found, list(ss_effect = table[1, "Sum Sq"], ss_error = table[2, "Sum Sq"]))
}

t_test <- function(x, y, paired) {
  test <- t.test(x, y, paired = paired)
  estimate <- if (paired) test$estimate else test$estimate[1] - test$estimate[2]
  groups <- data.frame(
    value = c(x, y), group = factor(rep(c("x", "y"), c(length(x), length(y))))
  )
  d <- rstatix::cohens_d(groups, value ~ group, paired = paired)$effsize
  list(
    estimate = unname(estimate),
    lower = test$conf.int[1],
    upper = test$conf.int[2],
    statistic = unname(test$statistic),
    df = unname(test$parameter),
    p = test$p.value,
    effect_size = unname(d)
  )
}

# p-values of all pairs with the variance pooled over all groups: pairs in the order (1,2), (1,3) …
pooled_t_tests <- function(values, groups, adjust) {
  table <- pairwise.t.test(values, factor(groups), p.adjust.method = adjust, pool.sd = TRUE)$p.value
  as.vector(table[!is.na(table)])
}

# tol.root is set far below the default: the limits of the normal form are then exact as well.
# `confidence` is below the 0.95 asked for where R falls back to a lower level.
wilcoxon <- function(x, y, paired, alternative, exact, correction) {
  test <- suppressWarnings(wilcox.test(
    x, y,
    paired = paired, alternative = alternative, exact = if (is.na(exact)) NULL else exact,
    correct = correction, conf.int = TRUE, tol.root = 1e-14
  ))
  list(
    statistic = unname(test$statistic),
    p = test$p.value,
    lower = test$conf.int[1],
    upper = test$conf.int[2],
    confidence = attr(test$conf.int, "conf.level"),
    estimate = unname(test$estimate)
  )
}

friedman <- function(values) {
  test <- friedman.test(values)
  w <- rstatix::friedman_effsize(as_long(values), value ~ condition | subject)$effsize
  list(
    chi_squared = unname(test$statistic),
    df = unname(test$parameter),
    p = test$p.value,
    kendall_w = unname(w)
  )
}

studentized_range_tail <- function(q, n_means) ptukey(q, n_means, Inf, lower.tail = FALSE)

noncentral_t_interval <- function(t, df, confidence) {
  tail <- (1 - confidence) / 2
  reach <- 8 * sqrt(1 + t^2 / (2 * df)) + 3
  root <- function(p) {
    uniroot(function(d) suppressWarnings(pt(t, df, d)) - p, t + c(-1, 1) * reach, tol = 1e-13)$root
  }
  list(lower = root(1 - tail), upper = root(tail))
}

noncentral_f_interval <- function(f, df_effect, df_error, confidence) {
  tail <- (1 - confidence) / 2
  root <- function(p) {
    if (pf(f, df_effect, df_error) <= p) return(0)
    uniroot(
      function(l) pf(f, df_effect, df_error, l) - p, c(0, 10 * df_effect * f + 100),
      tol = 1e-12
    )$root
  }
  list(lower = root(1 - tail), upper = root(tail))
}
