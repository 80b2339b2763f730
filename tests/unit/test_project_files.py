"""Files around the code agree with each other: one version, a changelog entry, a valid citation."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

import pyfsagg

ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "pyfsagg/_version.py"
    in_r = re.search(r"^Version: (.+)$", read("r_bridge/pyfsaggr/DESCRIPTION"), re.MULTILINE)
    cited = re.search(r"^version: (.+)$", read("CITATION.cff"), re.MULTILINE)
    newest = re.search(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert {in_r[1], cited[1], newest[1]} == {pyfsagg.__version__}


def test_reports_cite_what_the_citation_file_says() -> None:
    from pyfsagg._report.closing import SOFTWARE_ENTRY
    from pyfsagg.extending import software

    cited = read("CITATION.cff")
    title = re.search(r'^title: "(.+)"$', cited, re.MULTILINE)
    author = re.search(r'^  - name: "(.+)"$', cited, re.MULTILINE)
    assert f"title = {{{title[1]}}}" in SOFTWARE_ENTRY
    assert author[1] in SOFTWARE_ENTRY
    assert author[1] in software("1")[1]


def test_hooks_before_a_commit_check_style_types_spelling_and_the_workflow() -> None:
    yaml = pytest.importorskip("yaml")
    hooks = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    names = {hook["id"] for repository in hooks for hook in repository["hooks"]}
    assert {"ruff", "ruff-format", "mypy", "codespell", "actionlint"} <= names


def test_every_tier_of_the_makefile_is_explained() -> None:
    targets = re.findall(r"^([a-z-]+):.*##", read("Makefile"), re.MULTILINE)
    told = read("docs/maintaining.md") + read("README.md")
    assert {"test", "lint", "docs", "validate"} <= set(targets)
    for target in targets:
        assert f"make {target}" in told, target


# --- hosted continuous integration -----------------------------------------------------------
@pytest.fixture(scope="module")
def workflow():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(read(".github/workflows/ci.yml"))


WORKFLOWS = sorted(
    file.name for file in (ROOT / ".github" / "workflows").glob("*.yml") if file.name != "r.yml"
)
"""Workflows of Python; that of R, whose actions stand in folders of a repository, has a test of its own."""


def test_every_configuration_file_is_valid() -> None:
    yaml = pytest.importorskip("yaml")
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml"]
    assert len(files) >= 4
    for file in [*files, ROOT / "CITATION.cff"]:
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file


def test_hosted_tests_run_where_it_is_promised(workflow) -> None:
    assert set(workflow[True]) >= {"push", "pull_request"}  # YAML reads the key `on` as true
    matrix = workflow["jobs"]["today"]["strategy"]["matrix"]
    assert {each.split("-")[0] for each in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert project["requires-python"] == f">={matrix['python'][0]}"
    lowest = [step.get("with", {}) for step in workflow["jobs"]["lowest"]["steps"]]
    assert {"python-version": matrix["python"][0]} in lowest


@pytest.mark.parametrize("file", WORKFLOWS)
def test_steps_of_workflows_name_what_exists(file: str) -> None:
    yaml = pytest.importorskip("yaml")
    text = read(f".github/workflows/{file}")
    workflow = yaml.safe_load(text)
    project = tomllib.loads(read("pyproject.toml"))
    extras = set(project["project"]["optional-dependencies"])
    markers = {each.split(":")[0] for each in project["tool"]["pytest"]["ini_options"]["markers"]}
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    assert workflow["permissions"] == {"contents": "read"}
    assert "group" in workflow["concurrency"]
    known = {"runs-on", "strategy", "steps", "needs", "permissions", "environment"}
    for name, job in workflow["jobs"].items():
        assert set(job) <= known, name
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), name
            if "uses" in step:  # pinned to a commit, whose version a comment says
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]), step
                assert re.search(rf"{step['uses']} # v\d+\.\d+\.\d+$", text, re.MULTILINE)
            said = step.get("run", "")
            for given in re.findall(r"-e \.\[([\w,]+)\]", said):
                assert set(given.split(",")) <= extras, said
            for expression in re.findall(r'-m "([^"]+)"', said):
                assert set(re.findall(r"\w+", expression)) - {"not", "and"} <= markers, said
            for script in re.findall(r"\b(?:tests|tools)/[\w./]+", said):
                assert (ROOT / script).is_file(), said
            for target in re.findall(r"\bmake ([a-z]+)", said):
                assert target in targets, said


def test_what_is_published_is_trusted_and_attested() -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load(read(".github/workflows/publish.yml"))["jobs"]
    assert jobs["build"]["permissions"]["attestations"] == "write"
    assert jobs["upload"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in read(".github/workflows/publish.yml")
    nightly = read(".github/workflows/nightly.yml")
    assert "--pre" in nightly
    updates = yaml.safe_load(read(".github/dependabot.yml"))["updates"]
    assert {each["package-ecosystem"] for each in updates} == {"github-actions", "pip"}


def test_the_recipe_of_conda_needs_what_the_package_needs() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(read("recipe.yaml"))
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert recipe["context"]["version"] == pyfsagg.__version__
    needed = {
        line.replace(" ", "").replace("-base", "") for line in recipe["requirements"]["run"][1:]
    }
    assert needed == set(project["dependencies"])
    assert recipe["about"]["license"] == project["license"]
    minors = {each.split(" :: ")[-1] for each in project["classifiers"] if "3." in each}
    assert f"3.{min(int(each.split('.')[1]) for each in minors)}" == recipe["context"]["python_min"]


def test_the_r_package_is_checked_as_archives_check_it() -> None:
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(read(".github/workflows/r.yml"))["jobs"]["check"]
    rows = job["strategy"]["matrix"]["include"]
    assert {row["os"].split("-")[0] for row in rows} == {"ubuntu", "macos", "windows"}
    description = read("r_bridge/pyfsaggr/DESCRIPTION")
    oldest = re.search(r"Depends: R \(>= ([\d.]+)\)", description)[1]
    assert {row["r"] for row in rows} == {"devel", "release", "oldrel-1", oldest}
    known = {"3.11", "3.12", "3.13", "3.14"}
    assert {row["python"] for row in rows} == {*known, "none"}
    folders = [
        step["with"]["working-directory"] for step in job["steps"] if "working-" in str(step)
    ]
    assert set(folders) == {"r_bridge/pyfsaggr"}
    used = re.findall(r"uses: (.+)", read(".github/workflows/r.yml"))
    assert len(used) == sum("uses" in step for step in job["steps"])
    for each in used:  # pinned as in the other workflows
        assert re.fullmatch(r"[\w-]+/[\w-]+(/[\w-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each


# --- where data come from --------------------------------------------------------------------
GOLDEN = ROOT / "tests" / "golden"


def _rows(heading: str) -> list[list[str]]:
    text = read("data/PROVENANCE.md").split(heading)[1]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_reference_value_has_a_script_or_a_reason() -> None:
    patterns = {}
    for row in _rows("| file in `tests/golden/data/` |"):
        assert len(row) == 4, row
        made_by = row[2]
        scripts = re.findall(r"`(make_\w+\.(?:R|py))`", made_by)
        assert all((GOLDEN / script).is_file() for script in scripts)
        assert scripts or re.match(r"not kept: \w+", made_by), row
        patterns.update(dict.fromkeys(re.findall(r"`([\w*.]+)`", row[0]), made_by))
    patterns["ionosphere.csv"] = "make_tables_r.R"
    for file in (GOLDEN / "data").iterdir():
        assert any(fnmatch(file.name, pattern) for pattern in patterns), file.name
    for pattern in patterns:
        assert pattern == "ionosphere.csv" or list((GOLDEN / "data").glob(pattern)), pattern


def test_every_embedded_file_has_a_line_on_its_origin() -> None:
    told = read("data/PROVENANCE.md")
    for file in {*(ROOT / "data").rglob("*.*")} - {ROOT / "data" / "PROVENANCE.md"}:
        name = file.relative_to(ROOT / "data").as_posix()
        known = (
            file.name in told
            or name.startswith(("validation/calibration/", "validation/runs/full-"))
            or re.match(r"published/table_4_\d_", name)
        )
        assert known, name
