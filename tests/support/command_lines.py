"""Command lines on small tables; what they print is recorded."""

from pathlib import Path

import numpy as np
import pandas as pd


def write_tables(folder: Path) -> None:
    """Tables with and without classes, of survival and of scores; lists, votes, guides and studies."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(24, 4)), columns=list("abcd"))
    X.to_csv(folder / "plain.csv", index=False)
    X.assign(**{"class": np.arange(24) % 2}).to_csv(folder / "t.csv", index=False)
    told = X.assign(a=X["a"] + 4.0 * (np.arange(24) % 2))
    told.assign(kind=np.where(np.arange(24) % 2, "yes", "no")).to_csv(
        folder / "told.csv", index=False
    )
    awkward = X.assign(
        id=range(24), same=1, copy=X["a"], level=list("xyz") * 8, kind=["no"] * 21 + ["yes"] * 3
    )
    awkward.mask(X["b"] > 1.5).to_csv(folder / "awkward.csv", index=False)
    X.assign(time=np.exp(X["a"]).round(3), event=(np.arange(24) % 3 > 0).astype(int)).to_csv(
        folder / "times.csv", index=False
    )
    X[:6].to_csv(folder / "scores.csv", index=False)
    X[6:12].to_csv(folder / "others.csv", index=False)
    (folder / "lists.txt").write_text("a,b,c\nb,a,c\nc,a,b\n")
    (folder / "votes.txt").write_text("a,b\nb\nc,b\na,b,c\n")
    for name, text in (("one", "a b c"), ("two", "b a d"), ("three", "a d")):
        (folder / f"{name}.txt").write_text(text.replace(" ", "\n") + "\n")
    guides = "".join(f"g{i % 4},{i}\n" for i in range(16))
    (folder / "guides.csv").write_text(f"gene,score\n{guides}")
    for name in ("first", "second"):
        z = rng.normal(size=12) + 5 * (np.arange(12) < 2)
        table = {"gene": [f"g{j}" for j in range(12)], "t": z, "p": 10.0 ** -np.abs(z).round(2)}
        pd.DataFrame(table).to_csv(folder / f"{name}.csv", index=False)
    methods = pd.DataFrame(
        {"old": 0.5, "new": 0.9 - 0.01 * np.arange(8), "other": 0.5 + 0.02 * np.arange(8)},
        index=pd.Index([f"d{i}" for i in range(8)], name="dataset"),
    )
    methods.to_csv(folder / "methods.csv")


RANK = "rank told.csv -t kind -n 10 -s 0 --pairs 4 --shuffles 99"
LINES = [
    "--version",
    "",
    "--help all",
    f"{RANK}",
    f"{RANK} --json",
    f"{RANK} --threshold 2 -q",
    f"{RANK} --max-false 1 -q",
    "rank t.csv -t class -n 5 -s 0 --pairs 2 --shuffles 19",
    "rank told.csv -t kind -n 5 -s 0 --filters ig,su --pairs 0 --shuffles 0",
    "rank times.csv -t time --event event --task survival --filter cox_score -n 5 -s 0 --pairs 0",
    "rank awkward.csv -t kind -n 5 -s 0 --accept missing_target --pairs 0 --shuffles 0",
    "rank wine -n 5 -s 0 --pairs 0 --shuffles 0 -q",
    "rank told.csv -t kind -n 5 -s 0 --pairs 0 --shuffles 0 -o told",
    "rank told.csv -t kind -n 5 -s 0 --pairs 0 --shuffles 0 -o told; show told",
    "rank told.csv -t kind -n 5 -s 0 --pairs 0 --shuffles 0 -o told; report told",
    "rank told.csv -t kind -n 5 -s 0 --pairs 0 --shuffles 0 -o told; rank told.csv -t kind -n 5 -s 0 -o told",
    f"{RANK} -q -o a; {RANK} --filter su -q -o b; compare a b",
    f"{RANK} -q -o a; {RANK} --filter su -q -o b; stability a --compare b --seed 0",
    "check told.csv -t kind",
    "check awkward.csv -t kind",
    "check awkward.csv -t kind --json",
    "check plain.csv",
    "check times.csv -t time --event event --task survival",
    "aggregate one.txt two.txt three.txt",
    "aggregate one.txt two.txt three.txt --universe 100 --top 2",
    "aggregate lists.txt --format lines --method borda --json",
    "aggregate one.txt two.txt three.txt --method rra,borda",
    "agreement one.txt two.txt three.txt",
    "agreement lists.txt --format lines --json",
    "studies first.csv second.csv --item gene --statistic t --p-value p",
    "screen guides.csv --item gene --score score",
    "screen guides.csv --item gene --score score --side low --json",
    "standings methods.csv",
    "standings methods.csv --json",
    "stability scores.csv --seed 0",
    "stability scores.csv --measures nogueira --n-features-to-select 2 --seed 0",
    "stability scores.csv --compare others.csv --seed 0",
    "influence told.csv -t kind --aggregators am,gm --n-folds 3 -n 4 --seed 0",
    "evaluate told.csv -t kind --methods ig --classifiers nb --thresholds 0.5 --n-folds 2 -n 4 -s 0",
    "committee told.csv -t kind --learners lr --n-resamples 3 --seed 0",
    "vote votes.txt",
    "vote votes.txt --rule phragmen --json",
    "order told.csv --target kind --seed 0",
    "order told.csv --target kind --seed 0 --json",
    "unsupervised plain.csv --method laplacian_score",
    "unsupervised plain.csv --method laplacian_score --json",
    "list",
    "list filters",
    "list aggregators borda",
    "list aggregators bordo",
    "list stability",
    "datasets",
    "datasets wine --json",
    "show nothing",
    "compare told.csv t.csv",
    "rank nothing.csv -t class",
    "rank awkward.csv -t kind",
    "rank told.csv -t kinds",
    "rank told.csv",
    "rank",
    "rnk told.csv",
    "rank told.csv -t kind --filter igg",
    "rank told.csv -t kind --filtr ig",
    "rank told.csv -t kind -n many",
    "vote nothing.txt",
    "aggregate one.txt",
    "standings plain.csv --by median",
    "rank t.csv -t class --n-resamples 0",
    "rank t.csv -t class --seed=-1",
    "rank t.csv -t class --jobs 0",
    "rank t.csv -t class --threshold 0",
    "rank t.csv -t class --nominal x",
    "rank t.csv -t class --sheet 1",
    "rank t.csv -t class --decimal x",
    "rank t.csv -t class --memory-limit x",
    "rank t.csv -t class --filter-param mrmr.bins=1 -n 2",
    "order t.csv",
    "influence t.csv",
    "aggregate t.csv plain.csv",
    "demo --max-false 0",
    "influence t.csv -t class --folds 1",
    "influence t.csv -t class --folds 2 -n 0",
    "evaluate t.csv -t class --n-repeats 0",
    "evaluate t.csv -t class --test-size 2",
    "committee t.csv -t class --folds 1 --learners lr",
    "committee t.csv -t class --step 3.5",
    "order t.csv -t class --divergence=-3",
    "order t.csv -t class --method x",
    "order t.csv -t class --max-seconds nan",
    "unsupervised plain.csv --feature-fraction 3",
    "unsupervised plain.csv --k-range 1,9",
    "aggregate lists.txt --cutoff 0",
    "aggregate lists.txt --universe 2",
    "agreement lists.txt --format lines --pilot 1",
    "vote lists.txt --size 9",
    "stability scores.csv --sizes 0",
    "stability scores.csv --confidence-level 2",
    "screen guides.csv --item gene --score score --alpha 2",
    "screen guides.csv --item gene --score score --control-genes x",
]
