# Writes car_r.json of tests/golden/data: absolute CAR scores by care 1.1 on the columns of adjusted.csv and sonar.csv.
# CAT scores of wine (three classes) by sda, over classes weighted as in the decomposition of Hotelling and Lawley.
# Run from the root of the repository: Rscript tests/golden/make_car_r.R
folder <- file.path("tests", "golden", "data")
scores <- function(x, y) as.list(abs(care::carscore(as.matrix(x), y, verbose = FALSE))[names(x)])
frame <- read.csv(file.path(folder, "adjusted.csv"))
features <- c("normal", "noise", "ties", "skewed", "binary")
twice <- frame[rep(seq_len(nrow(frame)), frame$times), ]
sonar <- read.csv(file.path(folder, "sonar.csv"), check.names = FALSE)
of_sonar <- setdiff(names(sonar), "target")
surv <- survival::Surv(frame$time, frame$event)
# wine.csv: pyfsagg.load_dataset("wine"), its target as the column target, written by Python.
wine <- read.csv("wine.csv", check.names = FALSE)
cultivar <- factor(wine$target)
cat <- sda::catscore(as.matrix(wine[names(wine) != "target"]), cultivar,
  lambda.var = 0, lambda.freqs = 0, verbose = FALSE)
answer <- list(
  R = as.character(getRversion()), care = as.character(packageVersion("care")),
  number = scores(frame[features], frame$number),
  repeated = scores(twice[features], twice$number),
  two = scores(frame[features], as.numeric(frame$two == "yes")),
  survival = scores(frame[features], residuals(survival::coxph(surv ~ 1))),
  many_rows = scores(sonar[of_sonar], as.numeric(factor(sonar$target))),
  sda = as.character(packageVersion("sda")),
  cat_wine = as.list(sqrt(drop(cat^2 %*% (1 - table(cultivar) / length(cultivar))))),
  few_rows = scores(sonar[c(1:15, 191:205), of_sonar], as.numeric(factor(sonar$target))[c(1:15, 191:205)])
)
writeLines(jsonlite::toJSON(answer, auto_unbox = TRUE, digits = NA), file.path(folder, "car_r.json"))
