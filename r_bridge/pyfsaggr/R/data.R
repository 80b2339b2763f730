# Tables and targets as Python is given them: one matrix for each type of column, so that a table
# crosses in a few steps however many columns it has.

table_parts <- function(x) {
  if (is.matrix(x)) x <- matrix_frame(x)
  if (!is.data.frame(x)) {
    stop_pyfsagg(
      paste0("x must be a data frame or a matrix, not ", describe(x)), "input_type"
    )
  }
  if (inherits(x, "pyfsagg_matrix")) {
    return(matrix_parts(x$values, names_of(x$values)))
  }
  columns <- unname(as.list(x))
  kinds <- vapply(seq_along(columns), function(j) column_kind(columns[[j]], names(x)[j]), "")
  parts <- list(names = as.list(check_names(names(x))))
  for (kind in intersect(c("double", "integer", "logical", "nominal"), kinds)) {
    at <- which(kinds == kind)
    parts[[kind]] <- kind_part(columns[at], kind, at)
  }
  parts
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

check_names <- function(names) {
  if (is.null(names) || anyNA(names) || any(!nzchar(trimws(names)))) {
    at <- if (is.null(names)) 1L else which(is.na(names) | !nzchar(trimws(names)))[1]
    stop_pyfsagg(paste0("column ", at, " of x has no name; give every column a name"), "data")
  }
  if (anyDuplicated(names)) {
    stop_pyfsagg(
      paste0(
        "duplicate column name(s) ", paste0("'", unique(names[duplicated(names)]), "'", collapse = ", "),
        "; every feature needs a name of its own"
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
    refuse("holds dates or times", "turn it into numbers that mean something, or leave it out")
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
target_parts <- function(y, name = "target") {
  if (is.null(y)) return(NULL)
  if (is.data.frame(y) || (is.matrix(y) && ncol(y) == 1L)) y <- y[[1]]
  if (is.list(y) || !is.null(dim(y))) {
    stop_pyfsagg(paste0("y must be a vector or a factor, not ", describe(y)), "input_type")
  }
  if (inherits(y, c("Date", "POSIXt", "difftime"))) {
    stop_pyfsagg("y holds dates or times; it must be a factor, text, logicals or numbers", "data")
  }
  if (is.numeric(y) && !is.factor(y)) {
    return(list(values = as.list(as.double(y)), name = name))
  }
  y <- droplevels(as.factor(y))
  codes <- as.integer(y) - 1L
  codes[is.na(codes)] <- -1L
  list(values = as.list(codes), levels = as.list(enc2utf8(levels(y))), name = name)
}

describe <- function(object) paste0("an object of class '", class(object)[1], "'")

# What an answer holds, as R objects.
as_frame <- function(parts) {
  columns <- lapply(parts$columns, function(column) {
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

# Table and target of a formula; a dot means all other columns, and terms must be plain columns.
formula_parts <- function(formula, data) {
  if (!is.data.frame(data)) {
    stop_pyfsagg(paste0("data must be a data frame, not ", describe(data)), "input_type")
  }
  terms <- stats::terms(formula, data = data)
  labels <- gsub("^`|`$", "", attr(terms, "term.labels"))
  response <- if (attr(terms, "response")) all.vars(formula[[2]]) else character()
  if (length(response) != 1L || !identical(as.name(response), formula[[2]])) {
    stop_pyfsagg("the left side of the formula must be one column, as in Class ~ .", "parameter")
  }
  unknown <- setdiff(c(response, labels), names(data))
  if (length(unknown)) {
    stop_pyfsagg(
      paste0(
        "the formula names ", paste0("'", unknown, "'", collapse = ", "),
        ", which data does not have as a column; transform columns before, as in transform(data, ...)"
      ),
      "parameter"
    )
  }
  list(x = data[labels], y = data[[response]], name = response)
}
