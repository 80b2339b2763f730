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
      stopifnot(roles %in% c("group", "weight"))
      self$feature_names <- setdiff(self$feature_names, cols)
      private$roles[[roles]] <- cols
    }
  ),
  active = list(
    groups = function() private$of_role("group"),
    weights = function() private$of_role("weight")
  ),
  private = list(
    table = NULL, target = NULL, roles = list(),
    of_role = function(role) {
      if (is.null(private$roles[[role]])) return(NULL)
      column <- private$table[[private$roles[[role]]]]
      stats::setNames(data.frame(seq_along(column), column), c("row_id", role))
    }
  )
)

as_task_classif <- function(x, target) Task$new("classif", x, target)
as_task_regr <- function(x, target) Task$new("regr", x, target)
