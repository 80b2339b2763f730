"""The statistical tests of pyfsagg.statistics for their reference page: what each computes, and a call of it.

Nothing in the package looks one up; a test holds that none is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyfsagg._base.registry import Registry, Spec


@dataclass(frozen=True, kw_only=True)
class StatisticalTestSpec(Spec):
    """A statistical test.

    In formulas n is the number of subjects (or values), k the number of conditions (or groups), x_ij
    the value of subject i under condition j, r_ij its rank among the conditions of the subject, d_i
    and s_d the differences of a pair of conditions and their standard deviation.

    `function` is its name in :mod:`pyfsagg.statistics`, `null` the hypothesis that it tests or the quantity
    that it estimates, `distribution` that of its p-value, `evidence` which values of the statistic speak
    against the hypothesis.  `call` is an example; ``table`` is an array of 5 subjects by 3 conditions,
    ``groups`` a mapping of three groups.
    """

    function: str
    null: str
    distribution: str
    evidence: str = "large values"
    call: str
    ties: str = "do not matter"


STATISTICAL_TESTS = Registry("statistical test", StatisticalTestSpec)

_RANKED = "average ranks within a subject"
_FAR = "values far from 0"
_MEANS = "the means of all groups are equal"
_PAIR = "the means of the two conditions are equal"
STATISTICAL_TESTS.add(
    StatisticalTestSpec(
        name="one_way_anova",
        summary="Analysis of variance of independent groups",
        formula="(sum_j n_j (mean_j - mean)^2 / (k - 1)) / (sum_j sum_i (x_ij - mean_j)^2 / (n - k))",
        latex=r"F = \frac{\sum_{j} n_j (\bar{x}_j - \bar{x})^2 / (k - 1)}"
        r"{\sum_{j} \sum_{i} (x_{ij} - \bar{x}_j)^2 / (n - k)}",
        bounds="[0, inf)",
        source="Fisher (1925), Statistical Methods for Research Workers",
        function="one_way_anova",
        null=_MEANS,
        distribution="F with k - 1 and n - k degrees of freedom",
        call="print(st.one_way_anova(groups))",
    ),
    StatisticalTestSpec(
        name="welch_anova",
        summary="Analysis of variance of independent groups with unequal variances",
        formula="(sum_j w_j (mean_j - m)^2 / (k - 1)) / (1 + 2 (k - 2) L / (k^2 - 1)), w_j = n_j / s_j^2, "
        "m the mean weighted by w, L = sum_j (1 - w_j / sum w)^2 / (n_j - 1)",
        latex=r"F = \frac{\sum_{j} w_j (\bar{x}_j - \tilde{x})^2 / (k - 1)}"
        r"{1 + \frac{2 (k - 2)}{k^2 - 1} \Lambda}, \quad w_j = \frac{n_j}{s_j^2}, \quad "
        r"\Lambda = \sum_{j} \frac{(1 - w_j / \sum_l w_l)^2}{n_j - 1}",
        bounds="[0, inf)",
        source="Welch (1951), Biometrika 38",
        function="one_way_anova",
        null=_MEANS,
        distribution="F with k - 1 and (k^2 - 1) / (3 L) degrees of freedom, approximately",
        call="print(st.one_way_anova(groups, welch=True))",
    ),
    StatisticalTestSpec(
        name="repeated_measures_anova",
        summary="Analysis of variance of conditions on the same subjects",
        formula="(n sum_j (mean_j - mean)^2 / (k - 1)) / (sum_ij e_ij^2 / ((n - 1) (k - 1))), "
        "e_ij = x_ij - mean of subject i - mean_j + mean",
        latex=r"F = \frac{n \sum_{j} (\bar{x}_j - \bar{x})^2 / (k - 1)}"
        r"{\sum_{i} \sum_{j} (x_{ij} - \bar{x}_{i \cdot} - \bar{x}_j + \bar{x})^2 / ((n - 1)(k - 1))}",
        bounds="[0, inf)",
        source="Greenhouse and Geisser (1959), Psychometrika 24; Huynh and Feldt (1976)",
        function="rm_anova",
        null="the means of all conditions are equal",
        distribution="F with k - 1 and (n - 1) (k - 1) degrees of freedom, both times epsilon",
        call="print(st.rm_anova(table))",
    ),
    StatisticalTestSpec(
        name="mauchly",
        summary="Sphericity: whether the differences of all pairs of conditions vary alike",
        formula="W = det S / (tr S / q)^q, S the covariance of q = k - 1 orthonormal contrasts",
        latex=r"W = \frac{\det S}{(\operatorname{tr} S / q)^q}, \quad q = k - 1",
        bounds="[0, 1]",
        higher_is_better=False,
        source="Mauchly (1940), Annals of Mathematical Statistics 11; p-value: Anderson, section 10.7.4",
        function="sphericity_test",
        null="the orthonormal contrasts have equal variances and no correlation",
        distribution="Box's expansion by chi-squared distributions, to second order",
        evidence="small values",
        call="st.sphericity_test(table)",
    ),
    StatisticalTestSpec(
        name="paired_t",
        summary="t test of each pair of conditions on the same subjects",
        formula="mean(d) / (s_d / sqrt(n))",
        latex=r"t = \frac{\bar{d}}{s_d / \sqrt{n}}",
        bounds="(-inf, inf)",
        source="Student (1908), Biometrika 6",
        function="pairwise_tests",
        null=_PAIR,
        distribution="t with n - 1 degrees of freedom; adjusted for the number of pairs",
        evidence=_FAR,
        call="print(st.pairwise_tests(table))",
    ),
    StatisticalTestSpec(
        name="corrected_t",
        summary="t test of each pair of methods over folds that share training rows",
        formula="mean(d) / sqrt((1/n + test rows / training rows) s_d^2)",
        latex=r"t = \frac{\bar{d}}{\sqrt{\left( \frac{1}{n} + "
        r"\frac{n_{\text{test}}}{n_{\text{train}}} \right) s_d^2}}",
        bounds="(-inf, inf)",
        source="Nadeau and Bengio (2003), Machine Learning 52",
        function="pairwise_tests",
        null=f"{_PAIR} over tables of this size from the same population",
        distribution="t with n - 1 (or `df`) degrees of freedom, approximately; adjusted for the number "
        "of pairs",
        evidence=_FAR,
        call='print(st.pairwise_tests(table, test="corrected_t", test_train_ratio=1 / 4))',
    ),
    StatisticalTestSpec(
        name="pooled_t",
        summary="t test of each pair of independent groups, with the variance of all groups",
        formula="(mean_a - mean_b) / (s sqrt(1/n_a + 1/n_b)), s^2 the variance within all k groups",
        latex=r"t = \frac{\bar{x}_a - \bar{x}_b}{s \sqrt{\frac{1}{n_a} + \frac{1}{n_b}}}",
        bounds="(-inf, inf)",
        source="Student (1908), Biometrika 6; pooled as by R's pairwise.t.test",
        function="pairwise_tests",
        null="the means of the two groups are equal",
        distribution="t with n - k degrees of freedom; adjusted for the number of pairs",
        evidence=_FAR,
        call="print(st.pairwise_tests(groups, paired=False))",
    ),
    StatisticalTestSpec(
        name="welch_t",
        summary="t test of each pair of independent groups with unequal variances",
        formula="(mean_a - mean_b) / sqrt(s_a^2/n_a + s_b^2/n_b)",
        latex=r"t = \frac{\bar{x}_a - \bar{x}_b}{\sqrt{\frac{s_a^2}{n_a} + \frac{s_b^2}{n_b}}}",
        bounds="(-inf, inf)",
        source="Welch (1947), Biometrika 34",
        function="pairwise_tests",
        null="the means of the two groups are equal",
        distribution="t with Welch's degrees of freedom, approximately; adjusted for the number of pairs",
        evidence=_FAR,
        call="print(st.pairwise_tests(groups, paired=False, pooled=False))",
    ),
    StatisticalTestSpec(
        name="signed_rank",
        summary="Wilcoxon's test of paired values",
        formula="V = sum of the ranks of |d_i| with d_i > 0",
        latex=r"V = \sum_{d_i > 0} \operatorname{rank} \lvert d_i \rvert",
        bounds="[0, n (n + 1) / 2]",
        ties="average ranks; differences of zero by zero_method=",
        source="Wilcoxon (1945), Biometrics Bulletin 1; Pratt (1959)",
        function="wilcoxon",
        null="the differences are symmetric around 0",
        distribution="all signs of the ranks (exact), or the normal form with ties and zeros",
        evidence="values far from n (n + 1) / 4",
        call="print(st.wilcoxon(table[:, 0], table[:, 2]))",
    ),
    StatisticalTestSpec(
        name="rank_sum",
        summary="Wilcoxon's test of each pair of independent groups",
        formula="W = number of pairs with x above y, ties half",
        latex=r"W = \sum_{i} \sum_{j} \left( 1 [ x_i > y_j ] + \frac{1}{2} \, 1 [ x_i = y_j ] \right)",
        bounds="[0, n_a n_b]",
        ties="half a pair each; the normal form counts them in its variance",
        source="Wilcoxon (1945), Biometrics Bulletin 1; Mann and Whitney (1947)",
        function="pairwise_tests",
        null="the two groups have the same distribution",
        distribution="all orders of the values (exact), or the normal form with ties",
        evidence="values far from n_a n_b / 2",
        call='print(st.pairwise_tests(groups, paired=False, test="wilcoxon"))',
    ),
    StatisticalTestSpec(
        name="friedman",
        summary="Rank test of conditions on the same subjects",
        formula="n^2 (k - 1) sum_j (mean r_j - (k + 1) / 2)^2 / sum_ij (r_ij - (k + 1) / 2)^2",
        latex=r"Q = n^2 (k - 1) \frac{\sum_{j} \left( \bar{r}_j - \frac{k + 1}{2} \right)^2}"
        r"{\sum_{i} \sum_{j} \left( r_{ij} - \frac{k + 1}{2} \right)^2}",
        bounds="[0, n (k - 1)]",
        ties=_RANKED,
        source="Friedman (1937), JASA 32; Iman and Davenport (1980)",
        function="friedman",
        null="all orders of the conditions are equally likely in each subject",
        distribution="chi-squared with k - 1 degrees of freedom; also Iman and Davenport's F",
        call="print(st.friedman(table))",
    ),
    StatisticalTestSpec(
        name="nemenyi",
        summary="All pairs of conditions by their average ranks",
        formula="|mean r_a - mean r_b| / sqrt(k (k + 1) / (12 n))",
        latex=r"q = \frac{\lvert \bar{r}_a - \bar{r}_b \rvert}{\sqrt{\frac{k (k + 1)}{12 n}}}",
        bounds="[0, inf)",
        ties=_RANKED,
        source="Nemenyi (1963), thesis, Princeton; Demšar (2006), JMLR 7",
        function="nemenyi",
        null="the two conditions have the same average rank; all pairs together",
        distribution="the range of k standard normal values",
        call="print(st.nemenyi(table))",
    ),
    StatisticalTestSpec(
        name="critical_difference",
        summary="The least difference of average ranks that is significant, and the groups below it",
        formula="q_alpha sqrt(k (k + 1) / (12 n)), q_alpha the quantile of the range of k normal values",
        latex=r"\mathrm{CD} = q_{\alpha} \sqrt{\frac{k (k + 1)}{12 n}}",
        bounds="(0, inf)",
        ties=_RANKED,
        source="Demšar (2006), JMLR 7",
        function="critical_difference",
        null="two conditions have the same average rank; all pairs together",
        distribution="the range of k standard normal values",
        evidence="average ranks that differ by more",
        call="print(st.critical_difference(table))",
    ),
    StatisticalTestSpec(
        name="sign_test",
        summary="Wins against losses of each pair of conditions",
        formula="number w of subjects with d_i > tolerance; Binomial(w + losses, 1/2) by chance",
        latex=r"w = \sum_{i} 1 [ d_i > \varepsilon ], \quad w \sim \operatorname{Binomial} "
        r"\left( w + l, \frac{1}{2} \right)",
        bounds="[0, n]",
        ties="differences of at most tolerance= are left out",
        source="Demšar (2006), JMLR 7, section 3.1.4",
        function="win_tie_loss",
        null="a win is as likely as a loss",
        distribution="binomial, exact, two-sided",
        evidence="values far from half of wins and losses",
        call="st.win_tie_loss(table)",
    ),
    StatisticalTestSpec(
        name="bayesian_t",
        summary="Posterior probabilities that a method is worse, equivalent or better",
        formula="P(mean difference < -rope), P(within rope), P(> rope) under t(df) at mean(d) with the "
        "squared scale (1/n + rho / (1 - rho)) s_d^2, rho the share of test rows",
        latex=r"\mu \mid d \sim t_{n - 1} \left( \bar{d}, \; \left( \frac{1}{n} + "
        r"\frac{\rho}{1 - \rho} \right) s_d^2 \right)",
        bounds="[0, 1]",
        source="Corani and Benavoli (2015), Machine Learning 100; Benavoli et al. (2017), JMLR 18",
        function="bayesian_t_tests",
        null="no test: the posterior of the mean difference over folds",
        distribution="t with n - 1 (or `df`) degrees of freedom, flat prior",
        evidence="a probability near 1 decides",
        call="print(st.bayesian_t_tests(table, rope=1, test_train_ratio=1 / 4))",
    ),
    StatisticalTestSpec(
        name="rank_confidence",
        summary="Confidence sets for the ranks of items from estimates with errors",
        formula="j above l if (x_j - x_l) / se(x_j - x_l) exceeds the quantile of the largest standardised "
        "difference of errors; the set is 1 + number above to p - number below",
        latex=r"j \succ l \iff \frac{x_j - x_l}{\operatorname{se}(x_j - x_l)} > c_{1 - \alpha}, \quad "
        r"\operatorname{rank} j \in \left[ 1 + \lvert \{ l : l \succ j \} \rvert, \; "
        r"p - \lvert \{ l : j \succ l \} \rvert \right]",
        bounds="[1, p]",
        ties="equal true values share their ranks, and a set holds all of them",
        source="Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91",
        function="rank_confidence",
        null="no test: the ranks of the true values",
        distribution="normal draws of the errors",
        evidence="sets that do not overlap",
        call="st.rank_confidence([5.0, 4.8, 3.0, 1.0], standard_errors=[0.2, 0.2, 0.3, 0.2]).to_frame()",
    ),
)
