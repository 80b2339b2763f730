# Table and target of a formula. Terms are columns, transformed columns or interactions; a dot means
# all other columns. Missing values stay, as they mean something, unless na.action drops rows.
formula_parts <- function(formula, data, subset = NULL, na.action = NULL, frame = parent.frame(2)) {
  if (missing(data) || is.null(data)) stop_pyfsagg("give data, the data frame of the formula", "parameter")
  if (!is.data.frame(data)) {
    stop_pyfsagg(paste0("data must be a data frame, not ", describe(data)), "input_type")
  }
  terms <- stats::terms(formula, data = data, keep.order = TRUE)
  if (!is.null(attr(terms, "offset"))) stop_pyfsagg("the formula has an offset, which no filter uses", "parameter")
  around <- environment(formula)
  if (is.null(around)) around <- frame
  columns <- lapply(attr(terms, "term.labels"), function(label) term_columns(str2lang(label), data, around))
  x <- do.call(cbind.data.frame, c(columns, list(stringsAsFactors = FALSE)))
  names(x) <- unlist(lapply(columns, names))
  response <- if (attr(terms, "response") == 1L) formula[[2]]
  if (!is.null(response)) refuse_response(response, attr(terms, "term.labels"))
  y <- if (!is.null(response)) evaluate_term(response, data, around)
  keep <- rows_kept(x, y, subset, na.action)
  list(
    x = x[keep, , drop = FALSE], y = if (!is.null(y)) y[keep], rows = keep,
    name = if (is.null(response)) "target" else paste(deparse(response), collapse = " ")
  )
}

evaluate_term <- function(expression, data, around) {
  tryCatch(eval(expression, data, around), error = function(failure) {
    stop_pyfsagg(
      paste0("the formula names '", paste(deparse(expression), collapse = " "),
             "', which cannot be found or computed (", conditionMessage(failure), ")"),
      "parameter"
    )
  })
}

# One term as a data frame of one column or, for interactions with numbers and for matrices such as
# those of poly(), of several.
term_columns <- function(term, data, around) {
  sides <- sides_of(term)
  if (length(sides) > 1L) return(interaction_columns(lapply(sides, term_columns, data, around)))
  label <- if (is.name(term)) as.character(term) else paste(deparse(term), collapse = " ")
  value <- evaluate_term(term, data, around)
  if (is.function(value)) {
    stop_pyfsagg(paste0("the formula names '", label, "', which data does not have as a column"), "parameter")
  }
  if (is.matrix(value) && ncol(value) > 1L) {
    names <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
    value <- as.data.frame(unclass(value)[, seq_len(ncol(value)), drop = FALSE])
    return(stats::setNames(value, paste0(label, names)))
  }
  if (length(value) != nrow(data)) {
    stop_pyfsagg(
      paste0("the term '", label, "' has ", length(value), " values for ", nrow(data), " rows of data"), "data"
    )
  }
  column <- data.frame(seq_len(nrow(data)))
  column[[1]] <- if (is.matrix(value)) as.vector(value) else value
  stats::setNames(column, label)
}

sides_of <- function(term) {
  if (!is.call(term) || !identical(term[[1]], as.name(":"))) return(list(term))
  c(sides_of(term[[2]]), list(term[[3]]))
}

# Factors alone are one factor. With numbers, each factor becomes the indicators of its levels, and
# the columns are the products, as model.matrix() has them for the term by itself.
interaction_columns <- function(sides) {
  kinds <- vapply(sides, function(side) column_kind(side[[1]], names(side)[1]), "")
  words <- kinds %in% c("nominal", "logical")
  if (all(words)) {
    joined <- do.call(interaction, c(unname(do.call(c, sides)), drop = TRUE, sep = ":"))
    return(stats::setNames(data.frame(joined), paste(unlist(lapply(sides, names)), collapse = ":")))
  }
  sides[words] <- lapply(sides[words], indicators)
  Reduce(products, sides)
}

indicators <- function(side) {
  of_column <- function(j) {
    column <- droplevels(as.factor(side[[j]]))
    of_level <- lapply(levels(column), function(level) as.numeric(column == level))
    stats::setNames(as.data.frame(of_level), paste0(names(side)[j], levels(column)))
  }
  do.call(cbind, lapply(seq_along(side), of_column))
}

products <- function(left, right) {
  pairs <- expand.grid(left = seq_along(left), right = seq_along(right))
  stats::setNames(
    left[pairs$left] * right[pairs$right], paste(names(left)[pairs$left], names(right)[pairs$right], sep = ":")
  )
}

# The response among the features would win.
refuse_response <- function(response, labels) {
  used <- unlist(lapply(labels, function(label) all.vars(str2lang(label))))
  both <- intersect(all.vars(response), used)
  if (length(both)) {
    stop_pyfsagg(
      paste0("'", both[1], "' stands on both sides of the formula: the target cannot be a feature"),
      "parameter"
    )
  }
}

rows_kept <- function(x, y, subset, na.action) {
  keep <- seq_len(nrow(x))
  if (!is.null(subset)) {
    if (is.logical(subset) && length(subset) == nrow(x)) subset <- which(subset)
    if (!is.numeric(subset) || anyNA(match(abs(subset), keep))) {
      stop_pyfsagg("subset must be a condition on the rows of data, or row numbers", "parameter")
    }
    keep <- keep[subset]
  }
  if (is.character(na.action)) na.action <- match.fun(na.action)
  if (is.null(na.action) || identical(na.action, stats::na.pass)) return(keep)
  whole <- stats::complete.cases(x[keep, , drop = FALSE]) & (is.null(y) | !is.na(y[keep]))
  if (identical(na.action, stats::na.fail)) {
    if (!all(whole)) stop_pyfsagg("missing values in data, and na.action = na.fail", "data")
    return(keep)
  }
  keep[whole]
}

# What a generic looks at: a formula that is given by that name, as is the habit, or x.
table_or_formula <- function(x, ..., formula) {
  if (!missing(formula)) return(formula)
  if (missing(x)) stop_pyfsagg("x is missing: give a data frame, a matrix or a formula", "input_type")
  x
}

# What a method for formulas does: subset is a condition on the columns of data, as in lm(). A pipe
# hands the data over as x: data |> wam(formula = y ~ .).
with_formula <- function(method, x, data, subset, na.action, ..., formula = x, frame, weights, counts, groups) {
  if (missing(data) && !missing(x) && !inherits(x, "formula")) data <- x
  of_rows <- function(given) if (!is.null(given)) eval(given, if (is.data.frame(data)) data, frame)
  parts <- formula_parts(formula, data, of_rows(subset), na.action, frame)
  # Columns of data, or vectors as long; values for the kept rows alone are taken, too.
  beside <- lapply(list(
    weights = if (!missing(weights)) substitute(weights), counts = if (!missing(counts)) substitute(counts),
    groups = if (!missing(groups)) substitute(groups)
  ), function(given) {
    values <- of_rows(given)
    if (length(values) == nrow(data)) values[parts$rows] else values
  })
  do.call(method, c(list(parts$x, parts$y), list(...), Filter(Negate(is.null), beside), list(target_name = parts$name)))
}
