#' Order features by a vote over selections
#'
#' Each voter approves the features of its selection, for instance those of a learner on one resample. A voting
#' rule makes an order of the features of all selections.
#'
#' @param selections List of character vectors: the features that each voter selects. An empty one is allowed
#'   and counts nothing. Or a matrix, voters by features: logical or 0/1, or scores, of which each voter selects
#'   the largest. Or a result with rankings, such as that of [bam()], or a [rank_table()].
#' @param rule `"approval"`, `"satisfaction_approval"` (each voter divides one vote among its features),
#'   `"sequential_proportional_approval"` or `"phragmen"`. The last two fill one place after the other, and a
#'   voter whose features were elected counts less for the next places.
#' @param voter_weights What each voter counts: `NULL` for 1; `"performance"`, 0 where that is negative or missing;
#'   or numbers that are not negative.
#' @param performance How well each voter predicts with its features, larger is better; `NA` if not known.
#' @param learners Who made each selection.
#' @param feature_names All features to choose from, in their order; by default those that a voter selects, sorted.
#' @param size How many places the last two rules fill one by one; all by default.
#' @param n_features_to_select How many features each voter selects that ranks all of them: a share or a
#'   number.
#' @param save,report A folder for the result, and a file for its page (HTML).
#' @return An object of class `pyfsagg_committee`, a list: `ranking`, a data frame with the columns `feature`, `rank`,
#'   `score`, `votes` (how many
#'   voters select it), `share` and `tied` (whether another feature could equally have the place), the
#'   best first; `voters` and `learners`, data frames; with a performance `front`, the Pareto
#'   front of performance against number of features, and its `knee`, the point farthest above the straight
#'   line between the ends of the front on axes scaled to 0..1 (`n_features` and `performance`; `NULL` if no point lies
#'   above the line); `support`, which voter (row) selects which feature; `sentences`, and `call`. Features of equal
#'   score share the mean of their ranks; `"phragmen"` and
#'   `"sequential_proportional_approval"` elect the first one in the order of the features.
#' @examples
#' if (pyfsagg_available()) {
#'   selections <- c(rep(list(c("a", "b")), 3), list("c"), list(c("c", "d")))
#'   vote_features(selections, "phragmen")$ranking
#' }
#' @name vote_features
NULL

vote_weights <- function(weights, name = "voter_weights") {
  if (is.null(weights) || identical(weights, "performance")) return(weights)
  if (!is.numeric(weights) || anyNA(weights)) {
    refuse_argument(name, "NULL, \"performance\" or a number for each voter", weights)
  }
  as.list(as.double(weights))
}
