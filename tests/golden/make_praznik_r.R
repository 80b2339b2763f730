# Writes sonar* and range_ends* of tests/golden/data: what praznik makes of columns whose range it
# does not widen, because an end is 0 or of extreme magnitude.
# Run from the root of the repository: Rscript tests/golden/make_praznik_r.R
folder <- file.path("tests", "golden", "data")
save_json <- function(value, name) {
  text <- jsonlite::toJSON(value, auto_unbox = TRUE, digits = NA, pretty = TRUE)
  writeLines(text, file.path(folder, name))
}
informations <- function(X, y) as.list(praznik::miScores(X, y, threads = 1))
exactly <- function(x) {
  # As few digits as tell Python the very number that praznik saw.
  short <- formatC(x, digits = 15, format = "g", width = 1)
  ifelse(as.numeric(short) == x, short, formatC(x, digits = 17, format = "g", width = 1))
}
save_all <- function(X, y, name) {
  written <- as.data.frame(lapply(X, exactly))
  written$target <- as.character(y)
  write.csv(written, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  found <- praznik::MRMR(X, y, k = ncol(X), threads = 1)
  save_json(
    list(order = names(found$score), score = unname(found$score)), paste0(name, "_mrmr.json")
  )
  save_json(informations(X, y), paste0(name, "_mutual_information.json"))
  save_json(as.list(vapply(X, typeof, "")), paste0(name, "_r_types.json"))
}

data("Sonar", package = "mlbench")
save_all(Sonar[-61], Sonar$Class, "sonar")

# ---- a table of range ends: 40 rows, so the first 5, 20, 30 and 31 have 2, 6, 10 and 10 bins
n <- 40
i <- seq_len(n) - 1
ends <- data.frame(
  whole_from_zero = (i * 7) %% 11,
  whole_to_zero = -((i * 7) %% 11),
  whole_below_zero = -1 - (i * 3) %% 11,
  whole_above_zero = 1 + (i * 3) %% 11,
  whole_across_zero = (i * 7) %% 11 - 5,
  many_at_the_maximum = pmin((i * 5) %% 13, 8),
  zero_and_one = as.numeric(i %% 3 == 0),
  zero_and_minus_one = -as.numeric(i %% 3 == 1),
  tenths_from_zero = ((i * 7) %% 11) / 10,
  thirds_to_zero = -((i * 11) %% 13) / 3,
  scattered_from_zero = (i / (n - 1))^2,
  scattered_below_zero = -1 - sqrt(i * 2),
  from_widened = 2e-14 + ((i * 7) %% 11),
  from_not_widened = 1e-14 + ((i * 7) %% 11),
  to_not_widened = 5e-15 - ((i * 7) %% 11),
  to_huge = 1 + ((i * 7) %% 11) * 1e299,
  tiny = ((i * 7) %% 11) * 1e-20 - 4e-20,
  negative_zero = -0 * i,
  constant = rep(2.5, n)
)
class <- factor(ifelse((i * 7) %% 11 == 10 | (i %% 5) == 2, "b", "a"))
save_all(ends, class, "range_ends")
sizes <- c(5, 20, 30, 31)
by_size <- lapply(sizes, function(m) informations(ends[seq_len(m), ], class[seq_len(m)]))
save_json(setNames(by_size, sizes), "range_ends_mutual_information_by_rows.json")
