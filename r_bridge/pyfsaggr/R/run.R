# The arguments of a run: table, target, how it is run, and settings by their names. Which settings
# there are, and what they may be, is said in one place, by Python: see ?settings. What R users write
# in another way than Python's (numbers, words, NA, row numbers) is looked at here.
run_arguments <- function(x, y, seed, cores, progress, ..., checkpoint = NULL, target_name = "target") {
  settings <- list(...)
  if (length(settings) && (is.null(names(settings)) || !all(nzchar(names(settings))))) {
    stop_pyfsagg("settings are given by their names; see ?settings", "parameter")
  }
  table <- table_parts(x)
  n <- nrow(x)
  same_order(list(x = x, y = y, weights = settings$weights, counts = settings$counts, groups = settings$groups))
  if (length(table$names) < 2L) {
    stop_pyfsagg(paste0("x has ", length(table$names), " column(s); a ranking needs at least two"), "data")
  }
  if (n < 2L) stop_pyfsagg(paste0("x has ", n, " sample(s), rows; a ranking needs at least two"), "data")
  for (name in names(settings)) {
    settings[name] <- list(read_setting(settings[[name]], name, n, unlist(table$names)))
  }
  settings$task <- task_of(y, settings$task)
  target <- target_parts(y, target_name, settings$task)
  warn_of_columns(x, if (!is.null(target)) one_column(y), isTRUE(settings$drop_near_zero_variance))
  if (uses_r(settings)) cores <- 1L
  c(
    list(
      table = table, target = target,
      seed = python_seed(seed, checkpoint),
      cores = if (is_number(cores) && cores == -1) -1L else check_count(cores, "cores"),
      progress = progress_function(check_flag(progress, "progress")),
      checkpoint = if (!is.null(checkpoint)) path.expand(check_string(checkpoint, "checkpoint"))
    ),
    settings
  )
}

# What a run returns; of is the name of its function in Python.
run_python <- function(of, ...) as_r(ask("run", c(list(of = of), ...)))

# Survival times say themselves what they are.
task_of <- function(y, task) {
  if (!inherits(y, "Surv")) return(task)
  if (!is.null(task) && task != "survival") {
    stop_pyfsagg(paste0("y is a survival time: leave task = \"", task, "\" out"), "parameter")
  }
  "survival"
}

read_setting <- function(value, name, n, features) {
  value <- known_values(value)
  if (name %in% names(READERS)) {
    if (is.null(value) && !name %in% c("filter", "filters", "aggregator", "n_resamples")) return(NULL)
    return(READERS[[name]](value, name, n, features))
  }
  plain_argument(value, name)
}

plain_argument <- function(value, name) {
  if (is.null(value)) return(NULL)
  if (is.factor(value)) value <- as.character(value)
  if (is.function(value)) return(guarded(value))
  if (is.list(value)) {
    within <- if (is.null(names(value))) rep(name, length(value)) else paste0(name, "$", names(value))
    return(Map(plain_argument, value, within))
  }
  if (!is.numeric(value) && !is.character(value) && !is.logical(value)) {
    refuse_argument(name, "made of numbers, words, TRUE or FALSE", value)
  }
  if (anyNA(value)) stop_pyfsagg(paste0(name, " must not be NA"), "parameter")
  unname(value)
}

named_list <- function(value, name, ...) {
  if (!is.list(value) || (length(value) && (is.null(names(value)) || !all(nzchar(names(value)))))) {
    refuse_argument(name, "a named list, such as list(bins = 5)", value)
  }
  # An empty list would arrive as a list, and not as a mapping.
  if (length(value)) plain_argument(value, name)
}

count_setting <- function(value, name, ...) check_count(value, name)
flag_setting <- function(value, name, ...) check_flag(value, name)
word_setting <- function(value, name, ...) check_string(value, name, "one name")
folder_setting <- function(value, name, ...) path.expand(check_string(value, name))

TASKS <- c("classification", "regression", "survival")
GROUP_SCORES <- c("auto", "joint", "max", "mean")

READERS <- list(
  filter = function(value, name, ...) {
    if (isTRUE(attr(value, "read"))) return(value[seq_along(value)]) # several, for influence(method = "bam")
    value <- as_filter(value)
    if (is.function(value)) return(own_filter(first_filled(attr(value, "label"), "r_function"), value))
    if (!is.character(value) || length(value) != 1L || is.na(value)) {
      refuse_argument(name, "one name of list_methods('filters'), or a function (x, y, weight)", value)
    }
    value
  },
  filters = function(value, name, ...) if (identical(value, "auto")) value else read_filters(value, name),
  methods = function(value, name, ...) read_filters(value, name),
  learners = function(value, name, ...) read_learners(value, name),
  voter_weights = function(value, name, ...) vote_weights(value, name),
  size = count_setting, folds = count_setting,
  metric = word_setting, rule = word_setting, by = word_setting, direction = word_setting,
  n_features = function(value, name, ...) check_threshold(value, name),
  step = function(value, name, ...) check_top(value, name),
  selection = named_list,
  aggregator = word_setting,
  n_resamples = function(value, name, ...) check_count(value, name, or = "auto"),
  resampling = word_setting,
  task = function(value, name, ...) check_choice(value, name, TASKS),
  target_bins = count_setting, n_folds = count_setting, n_repeats = count_setting,
  n_random = count_setting,
  drop_near_zero_variance = flag_setting,
  feature_groups = function(value, name, n, features) read_feature_groups(value, name, features),
  group_score = function(value, name, ...) check_choice(value, name, GROUP_SCORES),
  scratch = folder_setting,
  memory_limit = function(value, name, ...) {
    if (is.character(value)) return(check_string(value, name))
    if (!is_number(value) || value < 1) refuse_argument(name, "a number of bytes, or a text such as \"2GB\"", value)
    floor(value)
  },
  filter_params = named_list, aggregator_params = named_list, resampling_params = named_list,
  precision = named_list,
  nominal = function(value, name, n, features) read_columns(value, name, features),
  adjust = function(value, name, n, features) read_columns(value, name, features),
  always = function(value, name, n, features) read_columns(value, name, features),
  groups = function(value, name, n, ...) {
    if (length(value) != n) refuse_argument(name, paste0("one group for each of the ", n, " rows"), value)
    if (anyNA(value)) stop_pyfsagg("groups: NA is no group; give each row one", "parameter")
    as.list(enc2utf8(as.character(value)))
  },
  weights = function(value, name, n, ...) read_weights(value, name, n, "how much each row counts"),
  counts = function(value, name, n, ...) read_weights(value, name, n, "how many samples each row stands for"),
  row_indices = function(value, name, n, ...) {
    if (is.numeric(value) && is.null(dim(value))) value <- matrix(value, 1)
    if (!is.matrix(value) || !is.numeric(value)) {
      refuse_argument(name, "a matrix of row numbers with a row for each resample", value)
    }
    if (anyNA(value) || any(value != round(value) | value < 1 | value > n)) {
      stop_pyfsagg(paste0("row_indices must hold row numbers from 1 to ", n), "parameter")
    }
    storage.mode(value) <- "integer"
    unname(value)
  },
  ranking_rows = function(value, name, n, ...) {
    if (is.logical(value) && length(value) == n) value <- which(value)
    if (!is.numeric(value) || !length(value) || anyNA(match(value, seq_len(n)))) {
      refuse_argument(name, paste("TRUE or FALSE for each row, or row numbers from 1 to", n), value)
    }
    as.list(as.integer(value) - 1L)
  },
  n_features_to_select = function(value, name, ...) {
    if (!is.numeric(value) || !length(value) || anyNA(value) || any(value <= 0)) {
      refuse_argument(name, "shares above 0 and up to 1, or numbers of features", value)
    }
    # Every number of R is a double: a whole one above 1 is a number of features, and 1 is one if all are whole.
    counted <- all(value == round(value)) && (is.integer(value) || any(value > 1))
    lapply(value, function(one) if (counted || (one > 1 && one == round(one))) as.integer(one) else as.double(one))
  }
)

read_weights <- function(value, name, n, meaning) {
  if (!is.numeric(value) || length(value) != n) {
    refuse_argument(name, paste0("one number for each of the ", n, " rows"), value)
  }
  if (anyNA(value)) {
    stop_pyfsagg(paste0(name, ": NA says nothing; give each row a whole number, 0 omits it"), "parameter")
  }
  if (any(value != round(value) | value < 0)) {
    refuse_argument(name, paste0("whole numbers from 0, ", meaning), value)
  }
  as.double(value)
}

# Case weights of other packages: those of hardhat say whether they are counts.
case_weights <- function(value) {
  if (is.null(value)) return(list())
  name <- if (inherits(value, "hardhat_frequency_weights")) "counts" else "weights"
  stats::setNames(list(as.double(unclass(value))), name)
}

# A list has the columns of each group; a named vector, or a data frame, the group of each column.
read_columns <- function(value, name, features) {
  if (is.numeric(value) && !anyNA(match(value, seq_along(features)))) return(as.list(features[value]))
  check_words(value, name)
}

read_feature_groups <- function(value, name, features) {
  if (is.character(value) && is.null(names(value)) && length(value) == 1L) {
    value <- check_string(value, name)
    return(if (startsWith(value, "prefix:")) enc2utf8(value) else path.expand(value))
  }
  if (is.data.frame(value) && all(c("column", "group") %in% names(value))) {
    value <- stats::setNames(as.character(value$group), as.character(value$column))
  }
  of_columns <- is.atomic(value)
  if (!length(value) || is.data.frame(value) || !(of_columns || is.list(value)) || is.null(names(value)) ||
    !all(nzchar(names(value)))) {
    refuse_argument(name, paste0(
      "a named list of columns, such as list(colour = c(\"red\", \"blue\")), a vector or data frame with the ",
      "group of each column, \"prefix:=\", or the path of a file"
    ), value)
  }
  if (anyNA(value) || anyDuplicated(names(value))) {
    stop_pyfsagg(paste0(name, ": each group, or column, is named once, and none is NA"), "parameter")
  }
  if (of_columns) return(as.list(stats::setNames(enc2utf8(as.character(value)), enc2utf8(names(value)))))
  members <- function(columns) {
    if (is.numeric(columns) && !anyNA(match(columns, seq_along(features)))) columns <- features[columns]
    check_words(columns, name)
  }
  stats::setNames(lapply(value, members), enc2utf8(names(value)))
}

# Names and R functions; a function is called by its name in the list.
read_filters <- function(value, name) {
  value <- if (is.list(value)) lapply(value, as_filter) else as_filter(value)
  if (is.function(value)) value <- list(value)
  if (!length(value) || !(is.character(value) || is.list(value)) || anyNA(value)) {
    refuse_argument(name, "names of list_methods('filters'), or a list of names and functions", value)
  }
  labels <- names(value)
  functions <- which(vapply(value, is.function, NA))
  own <- if (length(functions) > 1L) paste0("r_function_", seq_along(functions)) else "r_function"
  read <- lapply(seq_along(value), function(i) {
    each <- value[[i]]
    if (is.function(each)) {
      unnamed <- is.null(labels) || !nzchar(labels[i])
      label <- if (unnamed) first_filled(attr(each, "label"), own[match(i, functions)]) else labels[i]
      return(own_filter(label, each))
    }
    check_string(each, name)
  })
  read
}

uses_r <- function(settings) {
  if (any(vapply(settings$learners, function(one) is.function(one$call), NA))) return(TRUE)
  several <- is.list(settings$filter) && is.null(names(settings$filter))
  given <- c(if (several) settings$filter else list(settings$filter), settings$filters, settings$methods)
  any(vapply(given, is.list, NA))
}

own_filter <- function(name, scores) {
  takes <- names(formals(args(scores)))
  if (length(takes) < 3L && !"..." %in% takes) {
    stop_pyfsagg(
      "a filter is a function (x, y, weight): weight says how often each row is in the resample", "parameter"
    )
  }
  list(name = name, call = guarded(scores), version = attr(scores, "checkpoint_version"))
}

# Python calls this in place of an R function: it is handed arrays and lists where the function
# expects vectors, and an interrupt or an error must not pass through Python on its way.
guarded <- function(scores) {
  answered(function(x, y, weight, columns) {
    colnames(x) <- unlist(columns)
    by_column(scores(x, unlist(y), as.vector(weight)), x)
  })
}

answered <- function(f) {
  function(...) {
    tryCatch(
      list(value = allowInterrupts(f(...))),
      interrupt = function(condition) list(interrupt = TRUE),
      error = function(failure) {
        said <- conditionMessage(failure)
        if (is_time_limit(said)) list(limit = said) else list(error = said)
      }
    )
  }
}

# A progress bar that Python can call, or NULL.
progress_function <- function(progress) {
  if (!progress) return(NULL)
  bar <- NULL
  answered(function(done, total) {
    if (is.null(bar)) bar <<- utils::txtProgressBar(max = total, style = 3)
    utils::setTxtProgressBar(bar, done)
    if (done >= total) close(bar)
    NULL
  })
}

# set.seed() decides unless a seed is given.
python_seed <- function(seed, checkpoint = NULL) {
  # A checkpoint knows the seed with which it was begun.
  if (is.null(seed) && !is.null(checkpoint)) return(NULL)
  if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else check_count(seed, "seed", low = 0)
}

# Columns that say nothing, or everything.
warn_of_columns <- function(x, y, left_out) {
  columns <- if (is.matrix(x) || is.data.frame(x)) {
    if (left_out) integer() else which(constant_columns(x))
  }
  if (length(columns)) {
    names <- if (is.matrix(x)) names_of(x) else names(x)
    warn_pyfsagg(paste0(
      "constant: ", paste0("'", utils::head(names[columns], 5), "'", collapse = ", "),
      if (length(columns) > 5) paste(" and", length(columns) - 5, "more"),
      ". A column of one value says nothing about y, and mRMR may rank it high; ",
      "drop_near_zero_variance = TRUE leaves such columns out"
    ))
  }
  if (!is.data.frame(x) || is.null(y)) return(invisible())
  same <- vapply(x, function(column) is_copy(column, y), NA)
  if (any(same)) {
    warn_pyfsagg(paste0("'", names(x)[same][1], "' is the same as y: leave the target out of x"))
  }
}

constant_columns <- function(x) {
  one <- function(column) {
    if (!is.atomic(column) || !length(column)) return(FALSE)
    column <- unclass(column)
    first <- column[1]
    if (is.na(first)) all(is.na(column)) else !anyNA(column) && all(column == first)
  }
  if (is.matrix(x)) apply_columns(x, one) else vapply(x, one, NA)
}

apply_columns <- function(x, one) vapply(seq_len(ncol(x)), function(j) one(x[, j]), NA)

is_copy <- function(column, y) {
  if (!is.atomic(column) || length(column) != length(y) || is.numeric(column) != is.numeric(y)) return(FALSE)
  if (is.factor(column)) column <- as.character(column)
  if (is.factor(y)) y <- as.character(y)
  identical(is.na(column), is.na(y)) && all(column == y, na.rm = TRUE)
}

#' Rows of bootstrap resamples that do not depend on the columns
#'
#' The resamples that [wam()] draws depend on the seed and on the table as well: the names and values of
#' its columns and the order of the levels. Runs on different columns, or on the same columns with
#' other names, therefore have different resamples. With the rows of this function as `row_indices`
#' they have the same ones.
#'
#' @param n Number of rows of the table.
#' @param n_resamples Number of resamples.
#' @param seed A whole number. The same numbers give the same rows; the state of `set.seed()` does not change.
#' @param strata Optional: classes of the rows; each resample then has as many rows of each class as the table.
#' @return A matrix of row numbers, a row for each resample, for `row_indices` of [wam()], [bam()] and
#'   [aggregator_influence()].
#' @examples
#' rows <- draw_resamples(nrow(iris), 20, seed = 1)
#' if (pyfsagg_available()) {
#'   few <- wam(iris[1:3], iris$Species, row_indices = rows)
#'   all <- wam(iris[1:4], iris$Species, row_indices = rows)
#'   identical(few$combined[, 1], all$combined[, 1])
#' }
#' @export
draw_resamples <- function(n, n_resamples = 1000, seed = 1, strata = NULL) {
  n <- check_count(n, "n")
  n_resamples <- check_count(n_resamples, "n_resamples")
  seed <- check_count(seed, "seed", low = 0)
  if (!is.null(strata) && length(strata) != n) {
    refuse_argument("strata", paste("one class for each of the", n, "rows"), strata)
  }
  kept <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(restore_seed(kept))
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  parts <- if (is.null(strata)) list(seq_len(n)) else unname(split(seq_len(n), strata))
  draw <- function(i) {
    unlist(lapply(parts, function(rows) rows[sample.int(length(rows), replace = TRUE)]))
  }
  t(vapply(seq_len(n_resamples), draw, integer(n)))
}

restore_seed <- function(kept) {
  if (is.null(kept)) {
    rm(".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", kept, envir = globalenv())
  }
}
