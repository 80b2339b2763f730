# Writes tests/peers/data/r_peers.json: Markov chains and Borda columns of TopKLists, rank sets of csranks.
# Run from the root of the repository, with folders of the sources of the two packages:
#   Rscript tests/peers/make_r_peers.R TOPKLISTS CSRANKS
given <- commandArgs(TRUE)
source(file.path(given[1], "R", "TopKSpace.R"))
for (file in c("argument_checks.R", "rank_utils.R", "utilityfunctions.R", "diffmeans.R", "ranks.R")) {
  source(file.path(given[2], "R", file))
}
set.seed(5)
chains <- list()
for (m in 2:7) for (full in c(TRUE, FALSE)) {
  items <- paste0("g", seq_len(sample(5:9, 1)))
  lists <- lapply(seq_len(m), function(i) {
    sample(items, if (full) length(items) else sample(2:length(items), 1))
  })
  found <- MC(lists)
  scores <- Borda(lists)
  borda <- lapply(names(scores$Scores), function(each) {
    stats::setNames(as.list(scores$Scores[[each]]), scores$TopK[[each]])
  })
  chain <- lapply(1:3, function(k) {
    stats::setNames(as.list(found[[paste0("MC", k, ".Prob")]]), found[[paste0("MC", k, ".TopK")]])
  })
  chains[[length(chains) + 1]] <- list(
    lists = lapply(lists, I), full = full, mc1 = chain[[1]], mc2 = chain[[2]], mc3 = chain[[3]],
    borda = stats::setNames(borda, names(scores$Scores))
  )
}
pisa <- utils::read.csv("tests/golden/data/pisa_2018_mathematics.csv")
sets <- list()
for (level in c(0.95, 0.75)) for (simultaneous in c(TRUE, FALSE)) {
  found <- csranks(pisa$score, diag(pisa$error^2), coverage = level, simul = simultaneous, R = 20000, seed = 1)
  sets[[length(sets) + 1]] <- list(level = level, simultaneous = simultaneous, lower = found$L, upper = found$U)
}
best <- lapply(c(0.9, 0.95), function(level) {
  list(level = level, top = 5, found = pisa$name[as.logical(
    cstaubest(pisa$score, diag(pisa$error^2), tau = 5, coverage = level, R = 20000, seed = 1)
  )])
})
jsonlite::write_json(
  list(
    source = "TopKLists 1.0.8 (commit 3d5c017), csranks (commit bd4f755), R 4.2.2",
    chains = chains, sets = sets, best = best
  ),
  "tests/peers/data/r_peers.json", digits = I(15), auto_unbox = TRUE
)
