# What Python's functions take, R's take: an argument that is added there must not be missing here.
python_signature <- function(of) {
  found <- pyfsaggr:::ask("signature", list(of = of))
  list(names = as.character(unlist(found$names)), defaults = found$defaults)
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
