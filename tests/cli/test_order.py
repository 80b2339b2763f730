"""``pyfsagg order`` from the outside."""

import json

import pandas as pd
import pytest

from pyfsagg.rank_order import Elimination, eliminate, make_planted_orders

DATA = make_planted_orders(3, 15, n_extraneous=4, n_redundant=1, random_state=2)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "orders.csv"
    DATA.X.assign(kind=DATA.y, subject=range(45)).to_csv(path, index=False)
    return path


def test_order_writes_everything(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(
        "order orders.csv --target kind --exclude subject --method spoilers "
        "--n-features-to-select 3 --accuracy all --baseline --output out"
    )
    files = "accuracy.png baseline.csv divergence.png removal.csv "
    files += "report.html run.json run.toml"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files.split()
    expected = eliminate(DATA.X, DATA.y, "spoilers", accuracy=True, random_state=0)
    again = Elimination.load(tmp_path / "out")
    assert again.removal_order.tolist() == expected.removal_order.tolist()
    assert again.accuracy.tolist() == expected.accuracy.tolist()
    removal = pd.read_csv(tmp_path / "out" / "removal.csv")
    assert removal["feature"].tolist() == expected.select(8)[::-1]
    assert "removed 5 of 8 features" in " ".join(done.stdout.split())
    first, second, third = expected.select(3)
    assert f"The last 3 kept: {first}, {second} and {third}." in done.stdout
    assert "7 of 7 features done" in done.stderr
    assert (tmp_path / "out" / "accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_order_as_json_by_divergence(pyfsagg, table) -> None:
    done = pyfsagg(
        "order orders.csv --target kind --exclude subject --method greedy-kl "
        "--divergence 0 --json --quiet"
    )
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert (found["kind"], found["method"]) == ("elimination", "greedy_kl")
    assert found["accuracy"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "required: TABLE"),
        ("orders.csv", "name the column of the target: --target COLUMN"),
        ("orders.csv --target knd", "did you mean 'kind'"),
        ("orders.csv --target kind --n-features-to-select 99", "n-features-to-select"),
        ("orders.csv --target kind --n-features-to-select 2 --divergence 0", "exclude"),
        ("orders.csv --target kind --accuracy some", "expected a number or 'all'"),
        ("orders.csv --target kind --max-seconds 1e-9", "would take about"),
        (
            "orders.csv --target kind --method koller-sahami --method-param blanket_size=0",
            "blanket_size",
        ),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, table, arguments, message):
    assert message in refused(f"order {arguments} --exclude subject --quiet")
