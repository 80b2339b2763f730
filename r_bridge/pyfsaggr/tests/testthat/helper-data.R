# Packages for dates ask the system for it, which not every system answers.
if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")

skip_without_pyfsagg <- function() {
  # On the full run nothing may be skipped.
  if (!identical(Sys.getenv("PYFSAGG_REQUIRE_ALL"), "1")) {
    testthat::skip_if_not(pyfsagg_available(), "the Python package pyfsagg is not there")
  }
}

# Every type of column, each with a missing value where R has one.
mixed <- function() {
  table <- iris[c("Sepal.Length", "Petal.Length")]
  table$whole <- as.integer(round(10 * iris$Petal.Width))
  table$whole[3] <- NA
  table$yes <- iris$Sepal.Width > 3
  table$yes[5] <- NA
  table$text <- ifelse(iris$Petal.Width > 1, "gro\u00df", "klein")
  table$text[2] <- NA
  table$level <- factor(ifelse(iris$Sepal.Length > 6, "long", "short"), c("short", "long", "unused"))
  table[["two words"]] <- sqrt(iris$Sepal.Width)
  table
}

quick <- function(..., n_resamples = 20, seed = 1) {
  wam(..., n_resamples = n_resamples, seed = seed, progress = FALSE)
}

# Scores on the table as it is, without resampling.
whole <- function(x, ...) {
  wam(x, ..., row_indices = matrix(seq_len(nrow(x)), 1), progress = FALSE)$scores
}
