# Writes adjusted.csv and adjusted_r.json of tests/golden/data: scores beside age and batch, of rows that count
# once and of rows that are repeated `times` times. Base R, survival and ppcor 1.1.
# Run from the root of the repository: Rscript tests/golden/make_adjusted_r.R
library(survival)
folder <- file.path("tests", "golden", "data")
set.seed(39)
n <- 96
batch <- sample(c("a", "b", "c"), n, TRUE, c(0.6, 0.3, 0.1))
age <- round(rnorm(n, 50, 10), 1)
shift <- c(a = 0, b = 1.5, c = -1)[batch]
signal <- rnorm(n)
frame <- data.frame(
  age, batch,
  normal = signal + shift + 0.05 * age, noise = rnorm(n) + shift, ties = round(2 * signal + rnorm(n)),
  skewed = exp(signal + shift), binary = as.integer(rnorm(n) + signal > 0.3), large = 1e6 + age + rnorm(n)
)
frame$number <- round(signal + 0.04 * age + shift + rnorm(n), 2)
frame$three <- c("u", "v", "w")[cut(frame$number + rnorm(n), c(-Inf, 1.5, 3, Inf), labels = FALSE)]
frame$two <- ifelse(frame$number + rnorm(n) > 2, "yes", "no")
time <- rexp(n) * exp(-0.5 * signal - 0.02 * (age - 50) + 0.3 * shift)
censored <- rexp(n)
frame$time <- ceiling(10 * pmin(time, censored))
frame$event <- as.integer(time <= censored)
frame$times <- sample(0:3, n, TRUE)
write.csv(frame, file.path(folder, "adjusted.csv"), row.names = FALSE)

features <- c("normal", "noise", "ties", "skewed", "binary", "large")

scores <- function(frame) {
  known <- model.matrix(~ age + batch, frame)[, -1]
  of <- function(f) vapply(features, function(name) f(frame[[name]]), 0)
  hc2 <- function(x) {
    model <- cbind(1, known, frame$two == "yes")
    inverse <- solve(crossprod(model))
    left <- resid(lm(x ~ model - 1))
    leverage <- rowSums((model %*% inverse) * model)
    error <- inverse %*% crossprod(model * left / sqrt(1 - leverage)) %*% inverse
    k <- ncol(model)
    abs(drop(inverse %*% crossprod(model, x))[k]) / sqrt(error[k, k])
  }
  cox <- function(ties, formula, start) function(x) {
    frame$x <- x
    coxph(formula, frame, ties = ties, init = start, iter.max = 0)$score
  }
  surv <- Surv(frame$time, frame$event)
  null <- function(ties) coef(coxph(surv ~ age + strata(batch), frame, ties = ties, control = coxph.control(1e-11, 1e-13, 50)))
  list(
    pearson = of(function(x) abs(ppcor::pcor.test(x, frame$number, known)$estimate)),
    spearman = of(function(x) abs(ppcor::pcor.test(x, frame$number, known, "spearman")$estimate)),
    spearman_of_classes = of(function(x) abs(ppcor::pcor.test(x, frame$two == "yes", known, "spearman")$estimate)),
    f_statistic = of(function(x) summary(lm(frame$number ~ x + known))$coefficients["x", "t value"]^2),
    anova_f = of(function(x) anova(lm(x ~ known), lm(x ~ known + frame$three))[2, "F"]),
    welch_t = of(hc2),
    cox_score = of(cox("efron", surv ~ x + age + strata(batch), c(0, null("efron")))),
    cox_score_breslow = of(cox("breslow", surv ~ x + age + strata(batch), c(0, null("breslow")))),
    cox_score_strata = of(cox("efron", surv ~ x + strata(batch), 0))
  )
}
answer <- list(
  R = as.character(getRversion()), survival = as.character(packageVersion("survival")),
  once = lapply(scores(frame), as.list),
  repeated = lapply(scores(frame[rep(seq_len(n), frame$times), ]), as.list)
)
writeLines(jsonlite::toJSON(answer, auto_unbox = TRUE, digits = NA), file.path(folder, "adjusted_r.json"))
