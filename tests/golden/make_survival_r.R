# Writes what R's survival says of a table with many ties, and of the veteran trial that it brings; the
# latter without the table.  Run from the root of the repository: Rscript tests/golden/make_survival_r.R
suppressPackageStartupMessages(library(survival))
folder <- file.path("tests", "golden", "data")
set.seed(1)
n <- 60
tied <- data.frame(
  time = sample(1:12, n, replace = TRUE), status = rbinom(n, 1, 0.6), count = rpois(n, 1.2),
  normal = round(rnorm(n), 2), whole = sample(0:4, n, replace = TRUE), flag = rbinom(n, 1, 0.3),
  huge = round(1e9 + 100 * rnorm(n))
)
tied$normal[tied$time < 4] <- tied$normal[tied$time < 4] + 1
write.csv(tied, file.path(folder, "survival_tied.csv"), row.names = FALSE)

of_table <- function(table, features) {
  y <- Surv(table$time, table$status)
  by_ties <- function(ties) {
    score <- vapply(features, function(name) {
      coxph(y ~ x, list(y = y, x = table[[name]] - mean(table[[name]])), ties = ties)$score
    }, 0)
    empty <- coxph(y ~ 1, ties = ties)
    list(score = as.list(score), martingale = residuals(empty, "martingale"))
  }
  # A larger value with shorter survival counts as concordant; the filter takes the better direction.
  index <- vapply(features, function(name) {
    concordance(y ~ x, list(y = y, x = table[[name]]), reverse = TRUE)$concordance
  }, 0)
  list(efron = by_ties("efron"), breslow = by_ties("breslow"), concordance = as.list(index))
}

features <- c("normal", "whole", "flag", "huge")
found <- list(
  tied = of_table(tied, features),
  repeated = of_table(tied[rep(seq_len(n), tied$count), ], features), # each row as often as it counts
  veteran = of_table(veteran, c("trt", "karno", "diagtime", "age", "prior"))
)
jsonlite::write_json(
  found, file.path(folder, "survival_r.json"), auto_unbox = TRUE, digits = NA, pretty = TRUE
)
