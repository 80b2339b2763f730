# Writes tests/golden/data/stability_score_sharp.json: selection counts and the scores that StabilityScore of sharp
# 1.4.8 gives them. Run from the root of the repository: Rscript tests/golden/make_sharp_r.R
# Without sharp a file with its StabilityScore and BinomialProbabilities can be named: they need only base R.
given <- commandArgs(TRUE)
if (length(given)) source(given[1]) else StabilityScore <- sharp::StabilityScore
set.seed(1)
thresholds <- round(seq(0.6, 0.9, by = 0.01), 2) # the decimals themselves, which a file can hold
cases <- list()
for (halves in c(10, 50, 100)) for (p in c(8, 60, 500)) for (strong in c(0, 0.1, 0.4)) {
  chance <- ifelse(runif(p) < strong, 0.85, 0.08)
  counts <- rbinom(p, halves, chance)
  scores <- StabilityScore(counts / halves, pi_list = thresholds, K = halves)
  cases[[length(cases) + 1]] <- list(halves = halves, counts = counts, scores = ifelse(is.na(scores), NA, scores))
}
jsonlite::write_json(
  list(source = "StabilityScore, sharp 1.4.8", thresholds = thresholds, cases = cases),
  "tests/golden/data/stability_score_sharp.json", digits = 15, auto_unbox = TRUE, na = "null"
)
