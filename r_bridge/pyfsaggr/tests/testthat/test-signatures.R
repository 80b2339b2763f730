# What Python's functions take, R's take: an argument that is added there must not be missing here.
python_signature <- function(of) {
  found <- pyfsaggr:::ask("signature", list(of = of))
  list(names = as.character(unlist(found$names)), defaults = found$defaults, open = isTRUE(found$open))
}

documented <- function() {
  page <- tools::Rd_db("pyfsaggr")[["settings.Rd"]]
  text <- paste(utils::capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE))), collapse = " ")
  regmatches(text, gregexpr("[a-z][a-z_]+", text))[[1]]
}

test_that("every argument of a run is an argument or a documented setting in R", {
  skip_without_pyfsagg()
  known <- documented()
  same <- list(wam = pyfsaggr:::wam.default, bam = pyfsaggr:::bam.default,
               influence = pyfsaggr:::aggregator_influence.default, evaluate = pyfsaggr:::evaluate.default,
               committee = pyfsaggr:::committee.default)
  # evaluate() of R takes the nested protocol, and few folds are enough of a default there.
  other <- c("protocol", "execution", "resampling")
  for (of in names(same)) {
    theirs <- python_signature(of)
    ours <- formals(same[[of]])
    missing <- setdiff(theirs$names, c(names(ours), known, "method", "ranking_rows", if (of == "committee") "weights"))
    expect_identical(missing, character(), info = of)
    for (name in setdiff(intersect(names(theirs$defaults), names(ours)), other)) {
      expect_equal(eval(ours[[name]]), theirs$defaults[[name]], info = paste(of, name))
    }
  }
})

test_that("stability() has the arguments and defaults of Python's table", {
  skip_without_pyfsagg()
  theirs <- python_signature("stability_table")
  ours <- formals(pyfsaggr:::stability.default)
  # Names of features are those of the columns in R.
  expect_identical(setdiff(theirs$names, c(names(ours), "feature_names", "seed")), character())
  for (name in c("top", "interval", "level", "n_boot", "ties")) {
    expect_equal(eval(ours[[name]]), theirs$defaults[[name]], info = name)
  }
})

test_that("functions that call one of Python have its arguments and defaults", {
  skip_without_pyfsagg()
  own <- c("input", "seed", "cores", "progress", "names")
  for (of in as.character(unlist(pyfsaggr:::ask("calls", list(of = ""))))) {
    theirs <- python_signature(of)
    ours <- formals(getExportedValue("pyfsaggr", of))
    settings <- if ("..." %in% names(ours)) c("checkpoint", "scratch", "memory_limit", "progress")
    expect_identical(setdiff(theirs$names, c(names(ours), settings)), character(), info = of)
    expect_identical(setdiff(as.character(names(ours)), c(theirs$names, "save", "report", "...")), character(), info = of)
    if (theirs$open) expect_true("..." %in% names(ours), info = of)
    for (name in setdiff(intersect(names(theirs$defaults), names(ours)), own)) {
      expect_equal(eval(ours[[name]]), theirs$defaults[[name]], info = paste(of, name))
    }
  }
})
