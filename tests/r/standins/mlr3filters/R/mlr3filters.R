Filter <- R6::R6Class(
  "Filter",
  public = list(
    id = NULL, scores = NULL,
    initialize = function(id, task_types, task_properties = character(), param_set = paradox::ps(),
                          feature_types = character(), packages = character(), label = NA_character_,
                          man = NA_character_) {
      self$id <- id
      private$.param_set <- param_set
    },
    calculate = function(task, nfeat = NULL) {
      scores <- private$.calculate(task, length(task$feature_names))
      stopifnot(is.numeric(scores), setequal(names(scores), task$feature_names))
      self$scores <- sort(scores, decreasing = TRUE)
      invisible(self)
    }
  ),
  active = list(param_set = function(given) private$.param_set),
  private = list(.param_set = NULL)
)

Dictionary <- R6::R6Class(
  "Dictionary",
  public = list(
    add = function(key, value) private$items[[key]] <- value,
    keys = function() names(private$items),
    get = function(key) private$items[[key]]$new()
  ),
  private = list(items = list())
)

mlr_filters <- Dictionary$new()

flt <- function(.key) mlr_filters$get(.key)
