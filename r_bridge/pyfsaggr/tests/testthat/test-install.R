test_that("a Python is looked at before anything is made", {
  folder <- tempfile("environments")
  withr_like <- Sys.getenv("WORKON_HOME", NA)
  Sys.setenv(WORKON_HOME = folder)
  on.exit(if (is.na(withr_like)) Sys.unsetenv("WORKON_HOME") else Sys.setenv(WORKON_HOME = withr_like))
  old <- tempfile("python")
  writeLines(c("#!/bin/sh", "echo 3.10"), old)
  Sys.chmod(old, "755")
  skip_on_os("windows")
  refused <- function(..., text) {
    expect_error(install_pyfsagg(...), text, class = "pyfsagg_parameter_error")
  }
  refused(python = old, text = "Python 3.10, and pyfsagg needs 3.11 or later")
  refused(python = "no-such-python", text = "no such program")
  refused("~/no-such-checkout", text = "no file or folder '~/no-such-checkout'")
  refused(tempdir(), text = "no checkout of pyfsagg")
  refused("pyfsagg.whl", text = "no file or folder")
  refused(force = NA, text = "force must be TRUE or FALSE, got NA")
  refused(envname = 3, text = "envname must be one word or path, got 3")
  expect_false(dir.exists(folder))
})

test_that("a folder that is no environment is not taken for one", {
  writeLines("mine", file.path(folder <- tempfile(), "kept")[dir.create(folder)])
  expect_error(pyfsaggr:::make_environment(folder, "python3", TRUE), "no virtual environment")
  expect_true(file.exists(file.path(folder, "kept")))
})

test_that("a Python is named by its path, or by an environment", {
  folder <- tempfile()
  dir.create(file.path(folder, "bin"), recursive = TRUE)
  path <- file.path(folder, "bin", "python")
  file.create(path)
  expect_identical(pyfsaggr:::python_of(folder), path)
  expect_identical(pyfsaggr:::python_of(path), path)
  expect_null(pyfsaggr:::python_of(file.path(folder, "other")))
  expect_null(pyfsaggr:::python_of("no-such-environment"))
})

test_that("versions shake hands", {
  found <- list(pyfsagg = as.character(utils::packageVersion("pyfsaggr")), numpy = "1.26.4",
                python = "3.11.2", executable = "python")
  expect_null(pyfsaggr:::mismatch(found))
  expect_match(pyfsaggr:::mismatch(replace(found, "pyfsagg", "99.1.0")), "needs the same version")
  numpy_2 <- pyfsaggr:::mismatch(replace(found, "numpy", "2.1.0rc1"))
  if (utils::packageVersion("reticulate") < "1.39") expect_match(numpy_2, "numpy < 2") else expect_null(numpy_2)
})

test_that("a checkout or a wheel is a requirement as a file", {
  expect_match(pyfsaggr:::requirement(tempdir()), "^pyfsagg @ file:///")
  expect_false(grepl("file:////|\\\\", pyfsaggr:::requirement(tempdir())))
  expect_identical(pyfsaggr:::requirement("pyfsagg"), "pyfsagg")
})

test_that("what is there can be asked for", {
  skip_without_pyfsagg()
  expect_output(found <- pyfsagg_sitrep(), "pyfsagg can be used")
  expect_true(found$usable)
  expect_true(all(c("R", "reticulate", "pyfsagg", "numpy") %in% names(found$versions)))
})
