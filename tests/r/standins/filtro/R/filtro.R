.onLoad <- function(...) stop("a stand-in")
