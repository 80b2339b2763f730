# Public functions of Python by their names (functions.R). What Python's take is read there, by their types.

# The arguments of the function that calls this one, and the answer as an R object.
#
# ...: how R reads an argument, by its name and one of KINDS. more: arguments given in dots.
call_python <- function(of, ..., more = list()) {
  kinds <- list(...)
  frame <- parent.frame()
  definition <- sys.function(sys.parent())
  names <- setdiff(names(formals(definition)), "...")
  given <- c(lapply(stats::setNames(nm = names), get, envir = frame), more)
  if (length(more) && (is.null(names(more)) || !all(nzchar(names(more))))) {
    stop_pyfsagg("an argument too many is given without its name", "parameter")
  }
  # Features are matched by name; what stands beside voters has their order.
  of_features <- setdiff(names(kinds)[kinds == "collection"], "selections")
  same_order(given[!names(given) %in% c("similarity", "second", "rankings", of_features)])
  read <- list()
  for (name in names(given)) {
    value <- given[[name]]
    kind <- kinds[[name]]
    if (identical(kind, "collection")) {
      # Python's other functions of collections refuse missing cells, in words about arrays.
      gaps <- of %in% c("feature_stability", "vote_features")
      read <- c(read, read_collection(name, given, names, gaps))
    } else if (is.null(kind)) {
      read[[name]] <- read_argument(value, name, formals(definition)[[name]], given)
    } else if (!is.null(value)) {
      read[[name]] <- KINDS[[kind]](value, name, given)
    }
  }
  found <- as_r(ask("call", list(of = of, arguments = read[!vapply(read, is.null, NA)])))
  if (!inherits(found, "pyfsagg_result")) return(found)
  called(found, sys.call(sys.parent()), definition, sys.frame(sys.parent(2)))
}

KINDS <- list(
  table = function(value, ...) marked("table", table_parts(value)),
  target = function(value, name, given) {
    marked("target", target_parts(value, task = if (is_task(given$task)) given$task else "any"))
  },
  numbers = function(value, name, ...) table_of_numbers(value, name),
  matrix = function(value, name, ...) python_value(as.matrix(value), name),
  lists = function(value, ...) if (holds_rankings(value)) held_rankings(value) else rank_table_given(value),
  features = function(value, name, given) python_value(feature_names(given$x, value, name), name),
  position = function(value, name, given) {
    python_value(match(feature_names(given$x, value, name), columns_of(given$x)) - 1L, name)
  },
  plain = function(value, name, ...) python_value(value, name),
  values = function(value, name, ...) numbers_of(value, name),
  sides = function(value, name, ...) {
    if (is.list(value)) lapply(unname(value), numbers_of, name) else numbers_of(value, name)
  },
  words = function(value, name, ...) {
    if (is.list(value)) lapply(value, words_of, name) else words_of(value, name)
  },
  studies = function(value, name, ...) study_tables(value, name),
  voter_weights = function(value, name, ...) vote_weights(value, name),
  labels = function(value, name, ...) python_value(whole_labels(value), name),
  pairs = function(value, name, ...) pairs_of_halves(value, name),
  path = function(value, name, ...) folder_setting(value, name)
)

is_task <- function(task) is.character(task) && length(task) == 1L && task %in% TASKS

marked <- function(is, value) list(is = is, value = value)

is_marked <- function(value) is.list(value) && identical(names(value), c("is", "value"))

read_argument <- function(value, name, default, given) {
  switch(name,
    seed = if (is.null(value) && is.null(default)) {
      python_seed(NULL, given$checkpoint)
    } else if (!is.null(value)) {
      check_count(value, name, low = 0)
    },
    similarity = similarity_given(value, given$x),
    rankings = own_rankings(value, given$x),
    second = python_value(columns_like(value, given$first, name), name),
    cores = if (is_number(value) && value == -1) -1L else check_count(value, name),
    progress = progress_function(check_flag(value, name)),
    save = , report = , checkpoint = , scratch = if (!is.null(value)) folder_setting(value, name),
    aggregator = if (is.function(value)) {
      columns <- if (inherits(given$x, "pyfsagg_ensemble")) colnames(given$x$combined) else colnames(given$x)
      marked("aggregator", answered(function(scores) {
        colnames(scores) <- columns
        by_column(value(scores), scores)
      }))
    } else {
      python_value(value, name)
    },
    null = if (is.function(value)) {
      marked("null", answered(function(seed) rank_table_given(value(seed))))
    } else if (!is.null(value)) {
      refuse_argument(name, "a function of a seed", value)
    },
    python_value(value, name)
  )
}

# A value as Python's functions take it, by its type.
python_value <- function(value, name) {
  if (is.null(value) || is_marked(value)) return(value)
  if (is.function(value)) stop_pyfsagg(paste0(name, " must not be a function"), "parameter")
  if (inherits(value, "pyfsagg_ensemble")) return(ensemble_given(value))
  if (!is.null(attr(value, "files"))) return(marked("files", attr(value, "files")))
  if (is.data.frame(value) || inherits(value, "sparseMatrix")) return(marked("table", table_parts(value)))
  if (is.matrix(value) && (is.numeric(value) || is.logical(value))) return(marked("matrix", unname(value)))
  if (is.list(value)) {
    each <- lapply(value, python_value, name)
    return(if (is.null(names(value))) marked("list", each) else each)
  }
  if (is.factor(value)) value <- as.character(value)
  if (!is.atomic(value) || !(is.numeric(value) || is.character(value) || is.logical(value))) {
    refuse_argument(name, "numbers, words, TRUE or FALSE", value)
  }
  if (length(value) == 1L) {
    if (is.na(value)) stop_pyfsagg(paste0(name, " must not be NA"), "parameter")
    return(if (is.character(value)) enc2utf8(value) else unname(value))
  }
  if (is.character(value)) return(lapply(enc2utf8(unname(value)), function(one) if (!is.na(one)) one))
  if (is.logical(value) && anyNA(value)) stop_pyfsagg(paste0(name, " must not have NA"), "parameter")
  as.array(if (is.logical(value) || (is.integer(value) && !anyNA(value))) as.vector(value) else as.double(value))
}

# A table of subjects by conditions, or a long one with the names of its columns.
table_of_numbers <- function(value, name) {
  named <- is.matrix(value) && is.numeric(value) && !is.null(colnames(value))
  if (is.data.frame(value) || named) marked("table", table_parts(value)) else python_value(value, name)
}

# Rankings that an object has: a result its own, and a rank_table() itself.
holds_rankings <- function(value) {
  inherits(value, c("pyfsagg_rank_table", "pyfsagg_ensemble")) || !is.null(attr(value, "files"))
}

held_rankings <- function(value) {
  if (inherits(value, "pyfsagg_rank_table")) rank_table_given(value) else python_value(value, "rankings")
}

# Scores, ranks or selections, with what has to be said of them.
read_collection <- function(name, given, names, gaps) {
  x <- given[[name]]
  read <- list()
  if (is.null(x)) return(read)
  if (holds_rankings(x)) {
    read[[name]] <- held_rankings(x)
    return(read)
  }
  if (name == "compare" && is.matrix(x)) {
    first <- if (inherits(given$x, "pyfsagg_ensemble")) given$x$combined else given$x
    if (is.matrix(first)) x <- columns_like(x, first, name)
  }
  asks <- name != "selections"
  found <- collection(  # `$` takes the beginning of a name
    x, given[["input"]], given[["n_features"]], gaps, name, asks
  )
  read[[name]] <- marked(if (found$kind == "lists") "lists" else "matrix", found$data)
  if ("input" %in% names && found$kind != "lists") read$input <- found$kind
  if (name != "compare" && !is.null(found$feature_names)) read$feature_names <- found$feature_names
  read
}

# A ranking as it was, matrices and record.
ensemble_given <- function(object) {
  marked("ensemble", list(
    method = object$method, record = object$record,
    score_matrices = unname(lapply(object$score_matrices, unname)), combined = unname(object$combined),
    scores = as.array(unname(object$scores)), ranks = as.array(unname(object$ranks)), halves = object$halves
  ))
}

# What Python's functions return, as R objects.
as_r <- function(found) {
  switch(found$is,
    ensemble = ensemble_result(found$value),
    evaluation = evaluation_result(found$value),
    influence = influence_result(found$value),
    committee = committee_result(found$value),
    screen = screen_result(found$value),
    frame = missing_as_na(as_frame(found$value)),
    vector = {
      codes <- is.list(found$value) && !is.null(names(found$value))
      stats::setNames(if (codes) factor_of(found$value) else cells_of(found$value), unlist(found$names))
    },
    list = {
      values <- lapply(found$value, as_r)
      if (is.null(found$names)) values else stats::setNames(values, unlist(found$names))
    },
    result = as_answer(found),
    sparse = as_sparse(found$value),
    cells_of(found$value)
  )
}

cells_of <- function(value) {
  if (is.null(value) || is.matrix(value) || length(dim(value)) > 1L) return(value)
  if (is.list(value) && !is.null(names(value))) return(lapply(value, cells_of))
  if (is.list(value)) value <- unlist(lapply(value, function(one) if (is.null(one)) NA else one))
  value <- as.vector(value)
  if (is.double(value)) value[is.nan(value)] <- NA
  value
}

as_sparse <- function(parts) {
  if (!requireNamespace("Matrix", quietly = TRUE)) {
    stop_pyfsagg("a sparse table needs the package Matrix", "missing_dependency")
  }
  Matrix::sparseMatrix(
    i = as.vector(parts$rows), p = as.vector(parts$start), x = as.vector(parts$values),
    dims = unlist(parts$shape), index1 = FALSE
  )
}

missing_as_na <- function(frame) {
  for (j in seq_along(frame)) if (is.double(frame[[j]])) frame[[j]][is.nan(frame[[j]])] <- NA
  frame
}

as_answer <- function(found) {
  parts <- as_r(found$parts)
  parts$sentences <- as.character(unlist(found$sentences))
  if (!is.null(found$table)) parts$table <- missing_as_na(as_frame(found$table))
  structure(
    parts, class = c(paste0("pyfsagg_", found$class), "pyfsagg_answer", "pyfsagg_result"), files = found$files
  )
}

#' Answers of the functions of this package
#'
#' Results without a class of their own are lists of their parts, with `sentences` on what was found, where
#' there is something to say, and `table`, a data frame. They are printed by their sentences and the
#' first rows of the table.
#'
#' @param x An answer.
#' @param n How many rows are shown.
#' @param digits How many digits.
#' @param ... Not used.
#' @return `as.data.frame()` returns the table of any result, `as.matrix()` its numbers: of a ranking the scores of the
#'   resamples, of a committee who selects what. `update()` runs a result again, and `formula()` is the one it was
#'   made by.
#' @name answers
#' @examples
#' if (pyfsagg_available()) {
#'   as.data.frame(nogueira(list(c("a", "b"), c("a", "c"), c("a", "b")), n_features = 10))
#' }
#' @export
print.pyfsagg_answer <- function(x, n = 10, digits = 3, ...) {
  if (length(x$sentences)) cat(strwrap(x$sentences), sep = "\n")
  if (is.data.frame(x$table)) {
    print(utils::head(x$table, n), digits = digits, row.names = FALSE)
    left <- nrow(x$table) - n
    if (left > 0) cat("... and ", left, " more rows\n", sep = "")
  } else if (!length(x$sentences)) {
    utils::str(unclass(x)[!names(x) %in% c("sentences", "call")], max.level = 1, give.attr = FALSE, no.list = TRUE)
  }
  invisible(x)
}

# A method of a result that R holds.
call_method <- function(object, method, arguments = list(), table = NULL) {
  arguments <- arguments[!vapply(arguments, is.null, NA)]
  given <- Map(python_value, arguments, names(arguments))
  if (!is.null(table)) given$X <- marked("table", table_parts(table))
  as_r(ask("method", list(object = result_given(object), method = method, arguments = given)))
}
