# Writes mixed.csv, mixed_r_types.json and information_r.json of tests/golden/data: what the greedy filters of
# praznik (JMI, DISR, JMIM, NJMIM, CMIM, MIM) select, with their scores, also after Kendall's transformation.
# Run from the root of the repository: Rscript tests/golden/make_information_r.R
folder <- file.path("tests", "golden", "data")
as_json <- function(value) jsonlite::toJSON(value, auto_unbox = TRUE, digits = NA)

# ---- columns of two and of fifty levels, whole numbers, decimals, constants, copies, zeros
n <- 120
i <- seq_len(n) - 1
class <- factor(c("a", "b", "c")[1 + (((i * i) %% 17) > 7) + (i %% 10 == 3)])
mixed <- data.frame(
  two = factor(c("no", "yes")[1 + (i * 11) %% 7 %% 2]),
  fifty = factor(paste0("level", (i * 37) %% 50)),
  whole = as.integer((i * i) %% 17),
  whole_many = as.integer((i * 29) %% 101),
  decimal = sqrt((i * i) %% 17 + (i * 13) %% 7),
  skewed = exp(((i * 31) %% 60) / 10),
  from_zero = ((i * 7) %% 11) / 10,
  constant = rep(0.25, n),
  constant_word = factor(rep("same", n)),
  copy_of_decimal = sqrt((i * i) %% 17 + (i * 13) %% 7),
  renamed_two = factor(c("left", "right")[2 - (i * 11) %% 7 %% 2]),
  rare = as.integer(i == 77),
  wave = sin(i) + (i %% 10 == 3)
)
levels_of <- vapply(mixed, function(x) if (is.factor(x)) "factor" else typeof(x), "")
written <- as.data.frame(lapply(mixed, function(x) {
  if (is.double(x)) formatC(x, digits = 17, format = "g", width = 1) else as.character(x)
}))
written$target <- as.character(class)
write.csv(written, file.path(folder, "mixed.csv"), row.names = FALSE, quote = FALSE)
writeLines(as_json(as.list(levels_of)), file.path(folder, "mixed_r_types.json"))

table_of <- function(name) {
  path <- file.path(folder, paste0(name, ".csv"))
  if (name == "ionosphere") path <- file.path("data", "ionosphere.csv")
  frame <- read.csv(path, check.names = FALSE, colClasses = "character")
  types <- jsonlite::fromJSON(file.path(folder, paste0(name, "_r_types.json")))
  read <- list(double = as.numeric, integer = as.integer, factor = factor)
  X <- as.data.frame(Map(function(column, type) read[[type]](frame[[column]]), names(types), types))
  names(X) <- names(types)
  list(X = X, y = factor(frame$target))
}
criteria <- c("JMI", "DISR", "JMIM", "NJMIM", "CMIM", "MIM")
selected <- function(X, y, criteria, k = ncol(X)) {
  found <- lapply(criteria, function(name) {
    chosen <- getExportedValue("praznik", name)(X, y, k = k, threads = 1)
    list(order = I(names(chosen$score)), score = I(unname(chosen$score)))
  })
  setNames(found, tolower(criteria))
}
answer <- list(
  versions = list(R = as.character(getRversion()), praznik = as.character(packageVersion("praznik"))),
  own = list(), kendall = list()
)
for (name in c("ionosphere", "iris", "zoo", "sonar", "range_ends", "mixed")) {
  data <- table_of(name)
  answer$own[[name]] <- selected(data$X, data$y, criteria)
}
for (name in c("range_ends", "sonar")) {
  data <- table_of(name)
  pairs <- praznik::kTransform(data$X)
  names(pairs) <- names(data$X)
  # The target of a number is its first column, that of classes their order.
  answer$kendall[[name]] <- selected(
    pairs, praznik::kTransform(as.integer(data$y)), c("MRMR", criteria), min(12, ncol(pairs))
  )
  answer$kendall_number[[name]] <- selected(
    pairs[-1], praznik::kTransform(data$X[[1]]), c("MRMR", criteria), min(12, ncol(pairs) - 1)
  )
}
writeLines(as_json(answer), file.path(folder, "information_r.json"))
