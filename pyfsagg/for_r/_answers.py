"""Results that have a class of their own in R."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyfsagg
from pyfsagg._run.result import Result
from pyfsagg.committees import Committee
from pyfsagg.exceptions import PyfsaggError
from pyfsagg.for_r._files import packed
from pyfsagg.for_r._plain import frame_of, plain_value, returned
from pyfsagg.for_r._spelling import InR


def answered(result: Any) -> Any:
    """What a function returns, with a word on which of R's classes it becomes."""
    shapes: dict[type, tuple[str, Callable[[Any], dict[str, Any]]]] = {
        pyfsagg.Evaluation: ("evaluation", _evaluation_parts),
        pyfsagg.InfluenceResult: ("influence", _influence_parts),
        Committee: ("committee", _committee_parts),
        pyfsagg.Screen: ("screen", _screen_parts),
    }
    if type(result) not in shapes:
        return returned(result)
    kind, parts = shapes[type(result)]
    return {"is": kind, "value": parts(result)}


def _kept(result: Result) -> dict[str, Any]:
    """What R keeps of every result, to hand it back."""
    return {
        "files": packed(result),
        "parameters": plain_value(result.parameters),
        "data": plain_value(result.data),
        "versions": plain_value(result.versions),
    }


def _committee_parts(found: Committee) -> dict[str, Any]:
    known = bool(found.voters["performance"].notna().any())
    return {
        "ranking": frame_of(found.ranking, "feature"),
        "voters": frame_of(found.voters),
        "front": frame_of(found.pareto_front()) if known else None,
        "knee": plain_value(found.knee()) if known else None,
        "learners": frame_of(found.summary(), "learner"),
        "sentences": found.sentences(),
        "support": found.support,
        "features": list(found.feature_names),
        **_kept(found),
    }


def _influence_parts(result: pyfsagg.InfluenceResult) -> dict[str, Any]:
    return {
        "stability": frame_of(result.to_frame()),
        "ranks": {name: result.ranks(name) for name in result.aggregators},
        "features": list(result.feature_names),
        **_kept(result),
    }


def _evaluation_parts(result: pyfsagg.Evaluation) -> dict[str, Any]:
    return {
        "cells": frame_of(result.to_frame()),
        "summary": frame_of(result.summary()),
        "weighted": frame_of(result.weighted_average_accuracy()),
        "comparison": _comparison(result),
        "remarks": list(result.remarks),
        **_kept(result),
    }


def _comparison(result: pyfsagg.Evaluation) -> list[str]:
    """The sentences of the comparison of the methods, or why there is none."""
    try:
        found = result.compare()
        return [*found.sentences.values(), *found.remarks]
    except PyfsaggError as reason:
        return [reason.render(InR())]


def _screen_parts(result: pyfsagg.Screen) -> dict[str, Any]:
    return {
        "table": frame_of(result.to_frame(), "gene"),
        "alpha": {name: side.alpha for name, side in result.sides.items()},
        "remarks": list(result.remarks),
        "files": packed(result),
    }
