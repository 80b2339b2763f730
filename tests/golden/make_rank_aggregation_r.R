# Writes the values in tests/golden/data/rank_aggregation_*.json again: RobustRankAggreg on the lists
# and normalized ranks that the files hold.  Those were drawn once and are input, not output.
# Run from the root of the repository: Rscript tests/golden/make_rank_aggregation_r.R
library(RobustRankAggreg)
methods <- c("RRA", "stuart", "min", "mean", "median", "geom.mean")
folder <- file.path("tests", "golden", "data")
read <- function(name) jsonlite::read_json(file.path(folder, name))
write <- function(cases, name) {
  jsonlite::write_json(cases, file.path(folder, name), digits = NA, auto_unbox = TRUE, pretty = TRUE)
}

# Complete lists: a matrix of normalized ranks, one row per item.  The exact p-value takes long with
# many lists, and loses its digits there.
full <- lapply(read("rank_aggregation_full.json"), function(case) {
  rmat <- matrix(unlist(case$rmat), nrow = case$p, byrow = TRUE, dimnames = list(seq_len(case$p), NULL))
  rmat <- round(rmat * case$p) / case$p # all bits of k / p, of which the file holds 15 digits
  values <- function(method, exact = FALSE) {
    aggregateRanks(rmat = rmat, method = method, exact = exact)[rownames(rmat), "Score"]
  }
  found <- c(list(p = case$p, m = case$m, rmat = unname(rmat)), sapply(methods, values, simplify = FALSE))
  if (case$m <= 10) found$RRA_exact <- values("RRA", TRUE)
  found
})
write(full, "rank_aggregation_full.json")

# Lists of different length, cut off (full = FALSE) or complete in themselves (full = TRUE).
partial <- lapply(read("rank_aggregation_partial.json"), function(case) {
  lists <- lapply(case$lists, unlist)
  values <- function(method) {
    ranked <- aggregateRanks(lists, N = case$N, full = case$full, method = method, exact = FALSE)
    as.list(setNames(ranked$Score, as.character(ranked$Name)))
  }
  c(list(lists = lists, N = case$N, full = case$full), sapply(methods, values, simplify = FALSE))
})
write(partial, "rank_aggregation_partial.json")
