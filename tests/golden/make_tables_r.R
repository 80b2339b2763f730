# Writes the tables of R that the tests read, their storage types, and what caret says of their
# near-zero variance.  Run from the root of the repository: Rscript tests/golden/make_tables_r.R
folder <- file.path("tests", "golden", "data")
as_target <- function(table, column) {
  names(table)[names(table) == column] <- "target"
  table[c(setdiff(names(table), "target"), "target")]
}
data(Zoo, PimaIndiansDiabetes2, Ionosphere, package = "mlbench")
# The two columns of 0 and 1 are factors in mlbench.
Ionosphere[c("V1", "V2")] <- lapply(Ionosphere[c("V1", "V2")], function(v) as.numeric(as.character(v)))
is_logical <- vapply(Zoo, is.logical, NA)
Zoo[is_logical] <- lapply(Zoo[is_logical], factor)
tables <- list(
  iris = as_target(iris, "Species"),
  zoo = as_target(Zoo, "type"),
  pima_missing = as_target(PimaIndiansDiabetes2, "diabetes"),
  ionosphere = as_target(Ionosphere, "Class")
)
for (name in names(tables)) {
  table <- tables[[name]]
  features <- table[names(table) != "target"]
  place <- if (name == "ionosphere") "data" else folder
  write.csv(table, file.path(place, paste0(name, ".csv")), row.names = FALSE, na = "")
  types <- lapply(features, function(v) if (is.factor(v)) "factor" else typeof(v))
  jsonlite::write_json(
    types, file.path(folder, paste0(name, "_r_types.json")), auto_unbox = TRUE, pretty = TRUE
  )
  if (name == "iris") next # nothing of interest there
  metrics <- caret::nearZeroVar(features, saveMetrics = TRUE)
  write.csv(
    data.frame(feature = rownames(metrics), metrics),
    file.path(folder, paste0(name, "_near_zero_variance.csv")),
    row.names = FALSE, quote = FALSE
  )
}
