"""What the cross-check, which compares pyfsagg.statistics with R, cannot say: undefined values and errors."""

import numpy as np
import pytest
from r_packages import need

from pyfsagg.statistics import rm_anova
from pyfsagg_rpy2 import statistics as r
from pyfsagg_rpy2.session import RError

pytestmark = pytest.mark.r

need("afex", "rstatix")


def test_singular_sphericity_is_undefined_in_r_too():
    values = np.random.default_rng(3).normal(size=(4, 6))
    ours, theirs = rm_anova(values), r.rm_anova(values)
    assert np.isnan(theirs["mauchly_w"])
    assert np.isnan(ours.sphericity.w)
    assert "at least 6 subjects" in ours.sphericity.note
    assert ours.p_value == pytest.approx(theirs["p"], rel=1e-8)


def test_r_error_keeps_its_message():
    with pytest.raises(RError, match="not enough 'x' observations"):
        r.t_test([np.nan, np.nan], [1.0, 2.0], paired=False)
