library(testthat)
library(pyfsaggr)

test_check("pyfsaggr")
