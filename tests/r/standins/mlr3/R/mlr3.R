Task <- R6::R6Class(
  "Task",
  public = list(
    task_type = NULL, feature_names = NULL,
    initialize = function(task_type, table, target) {
      self$task_type <- task_type
      self$feature_names <- sort(setdiff(names(table), target))
      private$table <- table
      private$target <- target
    },
    data = function(cols) private$table[cols],
    truth = function() private$table[[private$target]],
    set_col_roles = function(cols, roles) {
      stopifnot(identical(roles, "group"))
      self$feature_names <- setdiff(self$feature_names, cols)
      private$group <- cols
    }
  ),
  active = list(
    groups = function() {
      if (!is.null(private$group)) {
        data.frame(row_id = seq_len(nrow(private$table)), group = private$table[[private$group]])
      }
    }
  ),
  private = list(table = NULL, target = NULL, group = NULL)
)

as_task_classif <- function(x, target) Task$new("classif", x, target)
as_task_regr <- function(x, target) Task$new("regr", x, target)
