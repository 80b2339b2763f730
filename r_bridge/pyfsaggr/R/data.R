# Tables and targets as Python is given them: one matrix for each type of column, so a table
# crosses in a few steps however many columns it has.

table_parts <- function(x) {
  if (inherits(x, "sparseMatrix")) return(sparse_parts(x))
  if (is.matrix(x)) x <- matrix_frame(x)
  if (!is.data.frame(x)) {
    stop_pyfsagg(
      paste0("x must be a data frame or a matrix, not ", describe(x)), "input_type"
    )
  }
  if (inherits(x, "pyfsagg_matrix")) {
    return(matrix_parts(x$values, names_of(x$values)))
  }
  x <- flat_columns(x)
  columns <- unname(as.list(x))
  kinds <- vapply(seq_along(columns), function(j) column_kind(columns[[j]], names(x)[j]), "")
  parts <- list(names = as.list(check_names(names(x))))
  for (kind in intersect(c("double", "integer", "logical", "nominal"), kinds)) {
    at <- which(kinds == kind)
    parts[[kind]] <- kind_part(columns[at], kind, at)
  }
  parts
}

# The cells of a sparse matrix of the package Matrix that are not zero.
sparse_parts <- function(x) {
  if (!requireNamespace("Matrix", quietly = TRUE)) {
    stop_pyfsagg("a sparse x needs the package Matrix", "missing_dependency")
  }
  x <- methods::as(methods::as(methods::as(x, "generalMatrix"), "CsparseMatrix"), "dMatrix")
  list(
    names = as.list(check_names(names_of(x))),
    sparse = list(values = x@x, rows = x@i, start = x@p, shape = as.list(dim(x)))
  )
}

# A matrix stays one: no column is looked at on its own.
matrix_frame <- function(x) {
  if (is.character(x) || !(is.numeric(x) || is.logical(x))) {
    return(as.data.frame(x, optional = TRUE, stringsAsFactors = TRUE))
  }
  structure(list(values = x), class = c("pyfsagg_matrix", "data.frame"))
}

names_of <- function(matrix) {
  if (is.null(colnames(matrix))) paste0("V", seq_len(ncol(matrix))) else colnames(matrix)
}

matrix_parts <- function(values, names) {
  kind <- if (is.logical(values)) "logical" else if (is.integer(values)) "integer" else "double"
  missing <- if (kind != "double" && anyNA(values)) is.na(values)
  if (!is.null(missing)) values[missing] <- 0L
  part <- list(values = unname(values), at = as.list(seq_along(names) - 1L), missing = unname(missing))
  stats::setNames(list(as.list(check_names(names)), part), c("names", kind))
}

# Columns as the kinds below: matrices of one column as vectors, 64 bit integers and the levels of
# ordered factors as numbers.
flat_columns <- function(x) {
  for (j in seq_along(x)) {
    column <- known_values(x[[j]])
    if (is.matrix(column) && ncol(column) == 1L && !is.list(column)) column <- as.vector(column)
    if (inherits(column, "integer64")) column <- from_integer64(column)
    if (is.ordered(column)) column <- as.integer(column)
    if (inherits(column, "AsIs")) class(column) <- setdiff(class(column), "AsIs")
    if (!identical(column, x[[j]])) x[[j]] <- column
  }
  x
}

# Values that the package haven declares to be missing are missing, as is.na() says where that is loaded.
known_values <- function(column) {
  if (!inherits(column, "haven_labelled")) return(column)
  values <- as.vector(unclass(column))
  range <- attr(column, "na_range")
  absent <- values %in% attr(column, "na_values")
  if (!is.null(range)) absent <- absent | (!is.na(values) & values >= range[1] & values <= range[2])
  replace(values, absent, NA)
}

known_columns <- function(data) {
  declared <- which(vapply(data, inherits, NA, "haven_labelled"))
  for (j in declared) data[[j]] <- known_values(data[[j]])
  data
}

# The numbers of the package bit64, which lie in the bits of doubles.
from_integer64 <- function(x) {
  halves <- matrix(readBin(writeBin(as.vector(unclass(x)), raw(), endian = "little"), "integer",
                           2L * length(x), 4L, endian = "little"), 2L)
  low <- as.double(halves[1, ])
  low[is.na(low)] <- -2^31 # what R takes for a missing integer is a pattern of bits here
  low <- low + (low < 0) * 2^32
  value <- halves[2, ] * 2^32 + low
  value[is.na(halves[2, ])] <- NA
  value
}

check_names <- function(names) {
  if (is.null(names) || anyNA(names) || any(!nzchar(trimws(names)))) {
    at <- if (is.null(names)) 1L else which(is.na(names) | !nzchar(trimws(names)))[1]
    stop_pyfsagg(paste0("column ", at, " of x has no name; give every column a name"), "data")
  }
  if (anyDuplicated(names)) {
    stop_pyfsagg(
      paste0(
        "duplicate column name(s) ", paste0("'", unique(names[duplicated(names)]), "'", collapse = ", "),
        "; every feature needs a different name"
      ),
      "data"
    )
  }
  names
}

column_kind <- function(column, name) {
  refuse <- function(what, remedy) {
    stop_pyfsagg(paste0("column '", name, "' ", what, "; ", remedy), "data")
  }
  if (is.list(column)) refuse("is a list", "a feature has one value for each row")
  if (!is.null(dim(column))) refuse("is a matrix", "bind its columns to the data frame")
  if (inherits(column, c("Date", "POSIXt", "difftime"))) {
    refuse("contains dates or times", "turn it into numbers that mean something, or drop it")
  }
  if (is.complex(column) || is.raw(column)) {
    refuse(paste0("is of type ", typeof(column)), "use numbers, logicals, text or factors")
  }
  if (is.factor(column) || is.character(column)) return("nominal")
  if (is.logical(column)) return("logical")
  if (is.integer(column)) return("integer")
  if (is.numeric(column)) return("double")
  refuse(paste0("is of class ", class(column)[1]), "use numbers, logicals, text or factors")
}

kind_part <- function(columns, kind, at) {
  levels <- NULL
  if (kind == "nominal") {
    columns <- lapply(columns, function(column) droplevels(as.factor(column)))
    levels <- lapply(columns, function(column) as.list(enc2utf8(levels(column))))
    columns <- lapply(columns, function(column) as.integer(column) - 1L)
  }
  n <- length(columns[[1]])
  values <- matrix(unlist(columns, use.names = FALSE), nrow = n)
  missing <- NULL
  if (kind == "nominal") {
    values[is.na(values)] <- -1L
  } else if (kind != "double" && anyNA(values)) {
    missing <- is.na(values)
    values[missing] <- if (kind == "logical") FALSE else 0L
  }
  list(values = values, at = as.list(at - 1L), missing = missing, levels = levels)
}

# Labels as codes with their levels; numbers stay numbers.
target_parts <- function(y, name = "target", task = NULL) {
  if (is.null(y)) return(NULL)
  if (inherits(y, "Surv")) return(survival_parts(y))
  if (identical(task, "survival")) {
    stop_pyfsagg("task = \"survival\" needs times with events: give y as survival::Surv(time, status)", "parameter")
  }
  y <- known_values(one_column(y))
  if (inherits(y, "integer64")) y <- from_integer64(y)
  if (is.list(y) || !is.null(dim(y)) || !is.atomic(y)) {
    stop_pyfsagg(paste0("y must be a vector or a factor, not ", describe(y)), "input_type")
  }
  if (inherits(y, c("Date", "POSIXt", "difftime"))) {
    stop_pyfsagg("y contains dates or times; it must be a factor, text, logicals or numbers", "data")
  }
  if (is.numeric(y) && !is.factor(y)) {
    if (is.null(task)) check_few(y)
    return(list(values = as.double(y), name = name))
  }
  y <- droplevels(as.factor(y))
  codes <- as.integer(y) - 1L
  codes[is.na(codes)] <- -1L
  list(values = codes, levels = as.list(enc2utf8(levels(y))), name = name)
}

# Times and events of the package survival.
survival_parts <- function(y) {
  if (!identical(attr(y, "type"), "right")) {
    stop_pyfsagg(
      paste0(
        "y is a survival time of type '", attr(y, "type"), "', and only right-censored times are supported: ",
        "neither late entry, nor intervals, nor several kinds of events"
      ),
      "data"
    )
  }
  y <- unclass(y)
  list(time = as.double(y[, "time"]), event = as.double(y[, "status"]))
}

one_column <- function(y) {
  if (inherits(y, "Surv")) return(as.double(unclass(y)[, 1]))
  if ((is.data.frame(y) || is.matrix(y)) && ncol(y) != 1L) {
    stop_pyfsagg(paste0("y must be one column, got ", ncol(y)), "input_type")
  }
  if (is.data.frame(y)) y[[1]] else if (is.matrix(y)) y[, 1] else y
}

# In R a number on the left side means regression, here classes are the default: many numbers ask.
MOST_CLASSES <- 10L

check_few <- function(y) {
  different <- length(unique(y[!is.na(y)]))
  if (different > MOST_CLASSES || any(y != round(y), na.rm = TRUE)) {
    stop_pyfsagg(
      paste0(
        "y holds ", different, " different numbers: use task = \"regression\", with a filter that ",
        "list_methods('filters') marks for numbers, or give factor(y) if they are classes"
      ),
      "parameter"
    )
  }
}

describe <- function(object) paste0("an object of class '", class(object)[1], "'")

# What an answer holds, as R objects.
as_frame <- function(parts) {
  columns <- lapply(parts$columns, function(column) {
    if (is.list(column) && !is.null(names(column))) return(factor_of(column))
    if (is.list(column)) {
      column <- vapply(column, function(x) if (is.null(x)) NA_character_ else as.character(x), "")
    }
    as.vector(column)
  })
  names(columns) <- unlist(parts$names)
  frame <- as.data.frame(columns, optional = TRUE, stringsAsFactors = FALSE)
  names(frame) <- unlist(parts$names)
  frame
}

# Categories, 0 where they are missing.
factor_of <- function(column) {
  codes <- as.integer(column$codes)
  codes[codes == 0L] <- NA
  factor(unlist(column$levels)[codes], unlist(column$levels))
}
