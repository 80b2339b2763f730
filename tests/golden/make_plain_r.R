# Writes plain_r.json of tests/golden/data: tests of single columns by the classes, and their spread, by base R.
# Run from the root of the repository: Rscript tests/golden/make_plain_r.R
folder <- file.path("tests", "golden", "data")
answer <- list(R = as.character(getRversion()))
for (name in c("sonar", "mixed")) {
  frame <- read.csv(file.path(folder, paste0(name, ".csv")), check.names = FALSE)
  y <- factor(frame$target)
  columns <- setdiff(names(frame)[vapply(frame, is.numeric, TRUE)], "constant")
  each <- function(f) vapply(columns, function(column) f(frame[[column]]), 0)
  found <- list(
    anova_f = each(function(x) summary(aov(x ~ y))[[1]][1, "F value"]),
    kruskal_wallis = each(function(x) kruskal.test(x, y)$statistic),
    variance = each(var), mad = each(mad)
  )
  if (nlevels(y) == 2) {
    found$welch_t <- each(function(x) abs(t.test(x ~ y)$statistic))
    area <- each(function(x) wilcox.test(x ~ y, exact = FALSE)$statistic / prod(table(y)))
    found$auc <- pmax(area, 1 - area)
  }
  answer[[name]] <- lapply(found, as.list)
}
writeLines(jsonlite::toJSON(answer, auto_unbox = TRUE, digits = NA), file.path(folder, "plain_r.json"))
