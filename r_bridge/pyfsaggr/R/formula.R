# Table and target of a formula. Terms are columns, transformed columns or interactions; a dot means
# all other columns. Missing values stay, as they mean something, unless na.action does something about them.
formula_parts <- function(formula, data, subset = NULL, na.action = NULL, frame = parent.frame(2)) {
  if (missing(data) || is.null(data)) stop_pyfsagg("give data, the data frame of the formula", "parameter")
  if (!is.data.frame(data)) {
    stop_pyfsagg(paste0("data must be a data frame, not ", describe(data)), "input_type")
  }
  terms <- stats::terms(formula, data = data, keep.order = TRUE)
  labels <- attr(terms, "term.labels")
  refuse_models(attr(terms, "variables"), labels)
  around <- environment(formula)
  if (is.null(around)) around <- frame
  data <- known_columns(data)
  response <- if (attr(terms, "response") == 1L) formula[[2]]
  if (!is.null(response)) refuse_response(response, labels)
  action <- missing_action(na.action)
  rows <- rows_of_subset(subset, nrow(data))
  if (is.function(action)) {
    data <- treated(action, terms, data, around, rows)
    rows <- attr(data, "rows")
  }
  columns <- lapply(labels, function(label) term_columns(str2lang(label), data, around))
  x <- do.call(cbind.data.frame, c(columns, list(stringsAsFactors = FALSE)))
  names(x) <- unlist(lapply(columns, names))
  y <- if (!is.null(response)) response_column(response, data, around)
  if (!is.function(action)) {
    rows <- rows_kept(x, y, rows, action)
    x <- x[rows, , drop = FALSE]
    if (!is.null(y)) y <- y[rows]
  }
  list(x = x, y = y, rows = rows, name = if (is.null(response)) "target" else label_of(response))
}

label_of <- function(term) if (is.name(term)) as.character(term) else paste(deparse(term), collapse = " ")

evaluate_term <- function(expression, data, around) {
  # What na.action was given and has returned is not computed again.
  if (!is.null(attr(data, "rows")) && label_of(expression) %in% names(data)) return(data[[label_of(expression)]])
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
  label <- label_of(term)
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

# One column of as many values as data has rows, or a Surv().
response_column <- function(response, data, around) {
  y <- evaluate_term(response, data, around)
  if (inherits(y, "Surv")) return(y)
  if (length(dim(y)) == 2L) {
    if (ncol(y) != 1L) {
      stop_pyfsagg(
        paste0(
          "the left side of the formula, ", label_of(response), ", has ", ncol(y), " columns, and a target has one: ",
          "rank for each column by itself, or write what joins them, such as their difference; for numbers of ",
          "successes and failures the rate, I(a / (a + b)) ~ ... with task = \"regression\"; for times and events ",
          "survival::Surv(time, status)"
        ),
        "parameter"
      )
    }
    y <- one_column(y)
  }
  if (length(y) != nrow(data)) {
    stop_pyfsagg(
      paste0(
        "the left side of the formula, ", label_of(response), ", has ", length(y), " values for ", nrow(data),
        " rows of data"
      ),
      "data"
    )
  }
  y
}

# Terms that say something about the model in other packages, and would be ranked as features here.
refuse_models <- function(variables, labels) {
  terms <- c(as.list(variables)[-1L], lapply(labels, str2lang))
  called <- unlist(lapply(terms, functions_in))
  remedy <- MODEL_TERMS[intersect(names(MODEL_TERMS), called)]
  if (length(remedy)) stop_pyfsagg(paste0("the formula has ", names(remedy)[1], "(), ", remedy[[1]]), "parameter")
  of_groups <- Filter(function(term) is.call(term) && as.character(term[[1]])[1] %in% c("|", "||"), terms)
  if (length(of_groups)) {
    stop_pyfsagg(paste0("the formula has (", label_of(of_groups[[1]]), "), ", OF_GROUPS), "parameter")
  }
}

OF_GROUPS <- paste(
  "an effect of groups of rows, which is no feature: leave it out, and give the column of the groups as groups =,",
  "so rows of one group are drawn together"
)

MODEL_TERMS <- list(
  strata = paste(
    "which is no feature: leave it out, write the column, as a factor, as a term by itself, and name it in adjust =,",
    "so scores and p-values are adjusted for it"
  ),
  cluster = OF_GROUPS, frailty = OF_GROUPS, frailty.gamma = OF_GROUPS, frailty.gaussian = OF_GROUPS,
  frailty.t = OF_GROUPS,
  tt = "an effect that changes with time, which no filter has: write the column by itself",
  offset = "which no filter uses: leave it out, or take it off the target, as y - known ~ ... or events / time ~ ..."
)

# Names of the functions that a term calls, with or without their package.
functions_in <- function(term) {
  if (!is.call(term)) return()
  head <- term[[1]]
  if (is.call(head) && as.character(head[[1]])[1] %in% c("::", ":::")) head <- head[[3]]
  c(if (is.name(head)) as.character(head), unlist(lapply(as.list(term)[-1L], functions_in)))
}

rows_of_subset <- function(subset, n) {
  rows <- seq_len(n)
  if (is.null(subset)) return(rows)
  if (is.logical(subset) && length(subset) == n) subset <- which(subset)
  if (!is.numeric(subset) || anyNA(match(abs(subset), rows))) {
    stop_pyfsagg("subset must be a condition on the rows of data, or row numbers", "parameter")
  }
  rows[subset]
}

# NULL, "omit", "fail", or a function that is called. Without an argument missing values are kept, unless
# options(na.action = ) says something else than R does by itself.
missing_action <- function(na.action) {
  if (is.null(na.action)) {
    na.action <- getOption("na.action")
    if (identical(na.action, "na.omit") || identical(na.action, stats::na.omit)) return()
  }
  if (is.character(na.action)) na.action <- tryCatch(match.fun(na.action), error = function(failure) na.action)
  if (is.null(na.action) || identical(na.action, stats::na.pass)) return()
  if (identical(na.action, stats::na.omit) || identical(na.action, stats::na.exclude)) return("omit")
  if (identical(na.action, stats::na.fail)) return("fail")
  if (!is.function(na.action)) {
    refuse_argument("na.action", "a function of a data frame, such as na.omit, or its name", na.action)
  }
  na.action
}

rows_kept <- function(x, y, rows, action) {
  if (is.null(action)) return(rows)
  whole <- stats::complete.cases(x[rows, , drop = FALSE]) & (is.null(y) | !is.na(y[rows]))
  if (action == "omit") return(rows[whole])
  if (!all(whole)) stop_pyfsagg("missing values in data, and na.action = na.fail", "data")
  rows
}

# The variables of the formula after a function that is given as na.action, which is called as by model.frame(),
# and which rows of data they are.
treated <- function(action, terms, data, around, rows) {
  variables <- as.list(attr(terms, "variables"))[-1L]
  frame <- data.frame(row.names = seq_len(nrow(data)))
  for (variable in variables) frame[[label_of(variable)]] <- evaluate_term(variable, data, around)
  frame <- frame[rows, , drop = FALSE]
  rownames(frame) <- seq_along(rows)
  found <- tryCatch(action(structure(frame, terms = terms)), error = function(failure) {
    stop_pyfsagg(paste0("the function na.action failed: ", conditionMessage(failure)), "data")
  })
  refuse <- function(what) {
    stop_pyfsagg(
      paste0(
        "the function na.action must return the data frame that it is given, with values filled in or rows left out, ",
        "not ", what
      ),
      "data"
    )
  }
  if (!is.data.frame(found)) refuse(describe(found))
  if (!setequal(names(found), names(frame))) refuse("one with other columns")
  at <- match(rownames(found), rownames(frame))
  if (anyNA(at)) {
    if (nrow(found) != nrow(frame)) refuse("one with rows of other names")
    at <- seq_along(rows)
  }
  structure(as.data.frame(found), terms = NULL, rows = rows[at])
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
    values <- known_values(of_rows(given))
    if (length(values) == nrow(data)) values[parts$rows] else values
  })
  do.call(method, c(list(parts$x, parts$y), list(...), Filter(Negate(is.null), beside), list(target_name = parts$name)))
}
