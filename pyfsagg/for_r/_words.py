"""Messages in the words of R."""

from __future__ import annotations

import re

__all__ = ["IN_R", "in_r_words"]

IN_R = {"sample_weight": "weights", "n_jobs": "cores", "random_state": "seed"}
"""Arguments that R users know under another name."""

R_WORDS = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\b(?:checks|execution|protocol|task)=(?:pyfsagg\.)?[A-Z]\w+\(([a-z_]+=[^()]+)\)", r"\1"),
        (r"\brandom_state\b", "seed"),
        (r"\bsample_weight\b", "weights"),
        (r"\bn_jobs\b", "cores"),
        (r"\buniverse\b", "N"),
        (r"\btop_cutoff\b", "topCutoff"),
        (r"missing \(NaN\)", "missing (NA)"),
        (r"\bNaN\b", "NA"),
        (r"\bNone\b", "NULL"),
        (r"\bTrue\b", "TRUE"),
        (r"\bFalse\b", "FALSE"),
        (r"a callable \(X, y, weights\) or a scikit-learn estimator", "a function (x, y, weight)"),
        (r"a mapping such as \{'(\w+)': '(\w+)'\}", r'a named list such as list(\1 = "\2")'),
        (r"a mapping of names to values", "a named list"),
        (r", as in resampling=pyfsagg\.\w+\((\w+)\)", r" by the argument \1"),
        (r"\bpyfsagg\.(\w+)", r"\1"),
        (r" \(shape=[^)]*\)", ""),
        (r" \(for ranks use RankTable\.from_ranks\)", "; ranks become such by dividing them by N"),
        (r"X\.toarray\(\)", "as.matrix(x)"),
        (r"pass similarity=", "give similarity, a matrix of features by features"),
        (r"\b([a-z_]+)='([^']*)'", r'\1 = "\2"'),
        (r"\b([a-z_]+)=([\w.]+)", r"\1 = \2"),
        (r"\b[Pp]ass ([a-z_]+)=(?=\s|$)", r"give \1"),
        (r"\b([a-z_]+)=(?=[\s,;)])", r"\1"),
        (r"=\{'(\w+)': \{'(\w+)': ([\w.]+)\}\}", r" = list(\1 = list(\2 = \3))"),
        (r"\bRankTable\.from_(scores|ranks)\b", r'rank_table(x, input = "\1")'),
        (r"\bnp\.sign\b", "sign"),
        (r"'nan'", "NA"),
        (r"\bholds object values", "holds text"),
        (r"\bgot \['([^']*)'\]", r"got '\1'"),
        (r"\bgot \[('[^]]*')\]", r"got c(\1)"),
        (r" \(-?inf\)", ""),
    )
)
"""What messages say in Python's words, and how R users say it."""


def in_r_words(message: str) -> str:
    for pattern, text in R_WORDS:
        message = pattern.sub(text, message)
    return message
