# The one place where arguments are looked at before Python sees them: messages name the R argument,
# the value that was met and what is allowed.

refuse_argument <- function(name, allowed, value) {
  stop_pyfsagg(paste0(name, " must be ", allowed, ", got ", shown(value)), "parameter")
}

# A value as a user would type it, in one short piece.
shown <- function(value) {
  if (is.function(value)) return("a function")
  text <- paste(deparse(value, width.cutoff = 60L), collapse = " ")
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}

check_flag <- function(value, name) {
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    refuse_argument(name, "TRUE or FALSE", value)
  }
  value
}

check_string <- function(value, name, allowed = "one word or path") {
  if (!is.character(value) || length(value) != 1L || is.na(value) || !nzchar(value)) {
    refuse_argument(name, allowed, value)
  }
  value
}

is_number <- function(value) is.numeric(value) && length(value) == 1L && is.finite(value)

# A whole number, from a double as well.
check_count <- function(value, name, low = 1, or = NULL) {
  if (!is.null(or) && is.character(value) && length(value) == 1L && value %in% or) return(value)
  if (!is_number(value) || value != round(value) || value < low || value > .Machine$integer.max) {
    others <- if (!is.null(or)) paste0(" or ", paste0("\"", or, "\"", collapse = " or "))
    refuse_argument(name, paste0("a whole number of at least ", low, others), value)
  }
  as.integer(value)
}

check_between <- function(value, name, low, high) {
  if (!is_number(value) || value <= low || value >= high) {
    refuse_argument(name, paste0("a number between ", low, " and ", high), value)
  }
  value
}

# How many features: a whole number, or a share below 1.
check_top <- function(value, name = "top") {
  if (!is_number(value) || value <= 0 || (value >= 1 && value != round(value))) {
    refuse_argument(name, "a whole number of features or a share below 1", value)
  }
  if (value >= 1) as.integer(value) else value
}

check_threshold <- function(value, name = "threshold") {
  if (identical(value, "auto")) return(value)
  if (is.character(value)) refuse_argument(name, "\"auto\", a whole number of features or a share below 1", value)
  check_top(value, name)
}

check_words <- function(value, name) {
  if (is.factor(value)) value <- as.character(value)
  if (!is.character(value) || !length(value) || anyNA(value)) {
    refuse_argument(name, "one or more names", value)
  }
  as.list(enc2utf8(value))
}

# Vectors that stay lists in Python, however short they are.
words_of <- function(value, name) {
  if (!is.atomic(value)) stop_pyfsagg(paste(name, "must be a vector of names"), "input_type")
  if (anyNA(value)) stop_pyfsagg(paste(name, "has a missing name"), "data")
  as.list(enc2utf8(as.character(value)))
}

numbers_of <- function(value, name) {
  if (!is.numeric(value) && !all(is.na(value))) stop_pyfsagg(paste(name, "must be numbers"), "input_type")
  as.list(as.double(value))
}

check_choice <- function(value, name, choices) {
  if (!is.character(value) || length(value) != 1L || !value %in% choices) {
    refuse_argument(name, paste("one of", paste0("\"", choices, "\"", collapse = ", ")), value)
  }
  value
}

# Two arguments that have the same names in another order would be taken by their places, which would be a
# wrong result without a word. What is matched by its names is not asked here.
same_order <- function(given) {
  known <- lapply(given, orders_of)
  for (i in seq_along(known)) {
    for (j in seq_len(i - 1L)) {
      for (theirs in known[[j]]) {
        if (any(vapply(known[[i]], is_reordered, NA, theirs))) {
          stop_pyfsagg(paste0(
            names(given)[i], " has the names of ", names(given)[j], " in another order; bring both into one order"
          ), "data")
        }
      }
    }
  }
}

orders_of <- function(value) {
  found <- if (is.data.frame(value)) {
    list(if (.row_names_info(value) > 0L) row.names(value), names(value))
  } else if (is.null(dim(value))) {
    list(names(value))
  } else {
    dimnames(value)
  }
  found[lengths(found) > 1L]
}

is_reordered <- function(mine, theirs) {
  length(mine) == length(theirs) && !identical(mine, theirs) && !anyDuplicated(mine) && setequal(mine, theirs)
}

# What an R function returns for the columns of x: by their names, if it names them.
by_column <- function(values, x) {
  columns <- names_of(x)
  if (any(names(values) %in% columns)) {
    if (!setequal(names(values), columns) || anyDuplicated(names(values))) {
      stop("its values have the names of some columns of x, and not of each once", call. = FALSE)
    }
    values <- values[columns]
  }
  as.list(as.double(values))
}
