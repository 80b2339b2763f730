"""The place of results: held from the start, complete or not there, and nothing lost at the end."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg._base import output
from pyfsagg._base.interrupts import remembering
from pyfsagg._base.output import Place, TakenError, new_file, new_folder
from pyfsagg._command import results
from pyfsagg._run.execution import counted
from pyfsagg.cli import build_parser, main
from pyfsagg.ensemble import job
from pyfsagg.exceptions import OutputError

FILES = {"matrices.npz", "ranking.csv", "report.html", "run.json", "run.toml", "selected.txt"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory beside a table."""
    data = pyfsagg.load_dataset("wine")
    data.X.assign(kind=data.y).to_csv(tmp_path / "wine.csv", index=False)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _rank(*more: str) -> int:
    short = ["--filters", "ig,chi2", "--n-resamples", "4", "--pairs", "0", "--jobs", "1", "--quiet"]
    return main(["rank", "../wine.csv", "--target", "kind", *short, *more])


# --- the place -------------------------------------------------------------------------------
def test_a_place_is_held_until_it_is_let_go(tmp_path: Path) -> None:
    first = Place(tmp_path / "run")
    with pytest.raises(TakenError, match=r"run is in use by another run; name a new one"):
        Place(tmp_path / "run")
    (first.draft / "a").write_text("a")
    first.publish()
    first.release()
    with pytest.raises(TakenError, match="not empty"):
        Place(tmp_path / "run")
    Place(tmp_path / "new").release()  # nothing is left of a place that was not used
    (tmp_path / "old").mkdir()
    Place(tmp_path / "old").release()
    assert {path.name for path in tmp_path.iterdir()} == {"run", "old"}


def test_what_a_killed_run_left_is_cleared_and_nothing_else(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pyfsagg._base.output import Place; place = Place(sys.argv[1]); "
        "(place.draft / 'half').touch(); os.kill(os.getpid(), 9)"
    )
    for name in ("run", "other"):
        subprocess.run([sys.executable, "-c", program, tmp_path / name], check=False)
    (tmp_path / ".run-notes.draft").mkdir()
    assert len(list(tmp_path.iterdir())) == 5
    place = Place(tmp_path / "run")
    (place.draft / "a").touch()
    place.publish()
    place.release()
    names = {path.name for path in tmp_path.iterdir()}
    assert {name for name in names if not name.startswith(".other-")} == {
        ".run-notes.draft", "other", "run",
    }  # fmt: skip
    assert len(names) == 4
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["a"]


def test_the_mask_of_the_user_is_kept(tmp_path: Path) -> None:
    usual = os.umask(0o027)
    try:
        with new_folder(tmp_path / "run") as draft, new_file(tmp_path / "b") as file:
            (draft / "a").touch()
            file.write_text("b")
    finally:
        os.umask(usual)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("run", "run/a", "b")]
    assert modes == [0o750, 0o640, 0o640]


def test_results_that_cannot_take_their_place_are_beside_it(tmp_path: Path) -> None:
    place = Place(tmp_path / "run")
    (place.draft / "a").touch()
    (tmp_path / "run" / "of somebody else").touch()
    with pytest.raises(OutputError, match=r"not empty; the results are in .*run-2"):
        place.publish()
    place.release()
    assert (tmp_path / "run-2" / "a").exists()
    assert (tmp_path / "run" / "of somebody else").exists()


@pytest.mark.parametrize("kind", ["link", "stays", "missing parents"])
def test_places_of_other_kinds(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = named = tmp_path / "real"
    if kind == "missing parents":
        real = named = tmp_path / "a" / "b"
    else:
        real.mkdir()
    if kind == "link":
        named = tmp_path / "link"
        named.symlink_to(real)
    if kind == "stays":  # as the root of a disk
        monkeypatch.setattr(output, "_stays", lambda folder: True)
    before = real.stat().st_ino if real.exists() else None
    with new_folder(named) as draft:
        (draft / "run.json").touch()
        (draft / "a").touch()
    assert {path.name for path in real.iterdir()} == {"a", "run.json"}
    assert named.is_symlink() == (kind == "link")
    if kind == "stays":
        assert real.stat().st_ino == before


# --- commands --------------------------------------------------------------------------------
def test_results_go_into_the_working_directory(here: Path) -> None:
    assert _rank("--output", ".") == 0
    assert {path.name for path in here.iterdir()} == FILES
    assert Path("run.json").exists()


def test_a_second_run_takes_the_next_name(here: Path) -> None:
    place = Place("pyfsagg-rank")  # a run at work
    assert _rank() == 0
    place.release()
    assert {path.name for path in here.iterdir()} == {"pyfsagg-rank-2"}


def test_a_place_in_use_is_refused_before_the_work(here, capsys, monkeypatch):
    monkeypatch.setattr(job, "set_up_run", None)
    place = Place("out")
    assert _rank("--output", "out") == 2
    assert "out is in use by another run" in capsys.readouterr().err
    place.release()


@pytest.mark.parametrize(
    ("where", "kept"), [("e", "e/ck"), ("ck/e", "ck"), (".", "ck"), ("e", "../here/e")]
)
def test_output_and_checkpoint_lie_side_by_side(here, where, kept, capsys):
    assert _rank("--output", where, "--checkpoint", kept) == 2
    assert "one lies in the other; name two folders" in capsys.readouterr().err
    assert not list(here.iterdir())


@pytest.mark.parametrize("fails", ["_write_into", "report"])
def test_results_that_cannot_be_written_are_elsewhere(here, fails, capsys, monkeypatch, tmp_path):
    result = pyfsagg.ensemble.EnsembleResult
    usual = getattr(result, fails)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(results.tempfile, "tempdir", str(elsewhere))

    def full(self: object, path: Path, **options: object) -> None:
        if elsewhere not in path.parents:
            raise OSError(28, "No space left on device")
        usual(self, path, **options)

    monkeypatch.setattr(result, fails, full)
    assert _rank("--output", "out") == 2
    (folder,) = elsewhere.iterdir()
    said = capsys.readouterr().err
    assert f"cannot write out: No space left on device; the results are in {folder}" in said
    assert pyfsagg.load_result(folder).ranking.shape == (13,)
    assert not list(here.iterdir())


def test_a_failure_of_the_computation_is_not_one_of_the_output(here, capsys, monkeypatch):
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device", "/a/cache")

    monkeypatch.setattr(job, "set_up_run", full)
    assert _rank("--output", "out") == 2
    said = capsys.readouterr().err
    assert "cannot write" not in said
    assert "No space left on device: '/a/cache'" in said
    assert not list(here.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_ends_a_command_ends_its_workers(here: Path, number: int) -> None:
    command = [sys.executable, "-m", "pyfsagg", "evaluate", "../wine.csv", "--target", "kind"]
    command += ["--jobs", "2", "--n-resamples", "4", "--quiet", "--output", "out"]
    log = here.parent / "said"
    with log.open("w") as said:
        process = subprocess.Popen(command, stderr=said)
    workers: list[int] = []
    while len(workers) < 2 and process.poll() is None:
        time.sleep(0.2)
        workers = _loky_children(process.pid)
    process.send_signal(number)
    process.wait()
    deadline = time.monotonic() + 240  # idle workers end after 300
    while any(map(_at_work, workers)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert len(workers) == 2
    assert not any(map(_at_work, workers))
    if number == signal.SIGTERM:
        assert process.returncode == 143
        assert log.read_text().strip().endswith("pyfsagg evaluate: terminated; nothing was written")
        assert not list(here.iterdir())


def _loky_children(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            if int(_status(folder.name)[1]) == parent and b"popen_loky" in command:
                found.append(int(folder.name))
    return found


def _status(process: object) -> list[str]:
    """The state of a process, its parent, and more."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _at_work(process: int) -> bool:
    with suppress(OSError):
        return _status(process)[0] != "Z"
    return False


def test_drafts_of_runs_that_were_killed_are_removed_and_those_at_work_stay(tmp_path: Path) -> None:
    deserted = tmp_path / ".page.html-0123abcd"
    other = tmp_path / ".page.html-notes"
    for path in (deserted, other):
        path.write_text("half a page")
    with new_file(tmp_path / "page.html") as first:
        first.write_text("first")
        with new_file(tmp_path / "page.html") as second:
            second.write_text("second")
        assert first.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", other.name}
    assert (tmp_path / "page.html").read_text() == "first"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no terminals that end")
def test_the_end_of_the_terminal_is_an_interrupt_unless_it_is_ignored() -> None:
    usual = signal.getsignal(signal.SIGHUP)
    try:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with pytest.raises(KeyboardInterrupt), remembering():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        with remembering():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, usual)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Who starts the tests in the background of a shell ignores interrupts."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


def _free(number: int) -> None:
    """Free something whose finalizer meets a signal: Python drops what that raises."""
    type("Freed", (), {"__del__": lambda _: signal.raise_signal(number)})()


def _at_event(place: int, number: int) -> None:
    """Raise a signal at the call or return of this number from here on."""
    left = place

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.setprofile(None)
            signal.raise_signal(number)

    sys.setprofile(count)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("where", ["before a loop", "in a loop", "after all loops"])
def test_an_interrupt_that_python_drops_still_ends_the_command(
    where: str,
    number: int,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = []

    def work(options: object) -> None:
        if where == "before a loop":
            _free(number)
        for step in counted(range(4), 4, "step"):
            if where == "in a loop" and step == 1:
                _free(number)
            done.append(step)
        if where == "after all loops":
            _free(number)

    monkeypatch.setattr("pyfsagg.cli.lists._datasets", work)
    hook, handler = sys.unraisablehook, signal.getsignal(number)
    assert main(["datasets"]) == code
    ended = {"before a loop": [], "in a loop": [0, 1], "after all loops": [0, 1, 2, 3]}
    assert done == ended[where]
    how = "interrupted" if code == 130 else "terminated"
    assert capsys.readouterr().err == f"pyfsagg datasets: {how}; nothing was written\n"
    assert (sys.unraisablehook, signal.getsignal(number)) == (hook, handler)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("first", ["in a finalizer", "not at all"])
def test_an_interrupt_at_any_moment_ends_the_command(
    first: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hundred moments: in finalizers, in what Python calls when it drops an exception, and in the loop."""

    def work(options: object) -> None:
        _at_event(place, signal.SIGINT)
        try:
            for _ in counted(range(100), 100, "step"):
                if first == "in a finalizer":
                    for _ in range(10):
                        _free(signal.SIGINT)
        finally:
            sys.setprofile(None)

    monkeypatch.setattr("pyfsagg.cli.lists._datasets", work)
    parser = build_parser()  # once, for it takes longer than all else
    monkeypatch.setattr("pyfsagg.cli.build_parser", lambda: parser)
    for place in range(100):
        assert main(["datasets"]) == 130
        said = capsys.readouterr().err
        assert said == "pyfsagg datasets: interrupted; nothing was written\n", place


@pytest.mark.usefixtures("interruptible")
def test_a_second_interrupt_cuts_short_what_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tidied = []

    def work(options: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            tidied.append("all")

    monkeypatch.setattr("pyfsagg.cli.lists._datasets", work)
    assert main(["datasets"]) == 130
    assert not tidied


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_command_names_what_it_had_written(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish = Place.publish

    def just_before(place: Place) -> None:
        _free(signal.SIGINT)
        publish(place)

    def just_after(place: Place) -> None:
        publish(place)
        _free(signal.SIGINT)

    monkeypatch.setattr(Place, "publish", just_before)
    assert _rank("--output", "out") == 130
    assert capsys.readouterr().err == "pyfsagg rank: interrupted; nothing was written\n"
    assert not list(here.iterdir())
    monkeypatch.setattr(Place, "publish", just_after)
    assert _rank("--output", "out") == 130
    assert capsys.readouterr().err == "pyfsagg rank: interrupted; out had been written\n"
    assert {path.name for path in (here / "out").iterdir()} == FILES
    monkeypatch.undo()


def test_an_interrupt_before_the_command_begins_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pyfsagg.cli.take_config", interrupted)
    assert main(["datasets"]) == 130
    assert capsys.readouterr().err == "pyfsagg datasets: interrupted; nothing was written\n"


def test_an_interrupt_names_the_checkpoint_that_holds_the_finished_part(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    command = ["--output", "out", "--checkpoint", "kept"]
    monkeypatch.setattr(job, "_resamples", interrupted)
    assert _rank(*command) == 130
    assert capsys.readouterr().err == "pyfsagg rank: interrupted; nothing was written\n"
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setattr(Place, "publish", interrupted)
    assert _rank(*command) == 130
    left = "the finished part is in kept; the same command continues"
    assert capsys.readouterr().err == f"pyfsagg rank: interrupted; {left}\n"
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert _rank(*command) == 0
