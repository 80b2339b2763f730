"""Tables as people export and keep them: what stands around the cells, codes in them, names of subjects."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg._base.settings import Reading
from pyfsagg._table.head import read_head
from pyfsagg._table.source import TableSource, read_source
from pyfsagg.datasets import check_table, read_table
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning, UnknownNameError

ROWS = "\n".join(f"{'yes' if i % 2 else 'no'},{i * 0.5:.2f},{60 - i}" for i in range(40)) + "\n"
PLAIN = "class,a,b\n" + ROWS


def read(folder: Path, text: str | bytes, **settings: object) -> TableSource:
    path = folder / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_source(path, Reading.of(settings))


@pytest.mark.parametrize(
    ("above", "note"),
    [
        ("# a comment\n# 1,2,3\n", "2 comments above the header skipped"),
        ("Study XY; 2024\n\n", "2 title lines above the header skipped: 'Study XY; 2024'"),
        ("Study XY,,\n", "1 title line above the header skipped: 'Study XY'"),
        ("Study XY,,\n,,\n", "2 title lines above the header skipped: 'Study XY'"),
        ("# by hand\nStudy, of, four, cells\n", "1 title line"),
        ("sep=,\n", "the line sep= of Excel above the header skipped"),
    ],
)
def test_what_stands_above_the_header_is_read_past(tmp_path: Path, above: str, note: str) -> None:
    plain = read(tmp_path, PLAIN).frame
    found = read(tmp_path, above + PLAIN)
    pd.testing.assert_frame_equal(found.frame, plain)
    assert any(note in line for line in found.notes)
    first = above.count("\n") + 1
    told = read(tmp_path, above + PLAIN, header=first)
    pd.testing.assert_frame_equal(told.frame, plain)
    assert told.notes == ()


def test_a_comment_with_the_names_is_the_header(tmp_path: Path) -> None:
    found = read(tmp_path, "#" + PLAIN.replace(",", "\t"))
    assert list(found.frame.columns) == ["class", "a", "b"]


def test_ragged_rows_are_no_titles(tmp_path: Path) -> None:
    wider = "a,b\n" + "1,2\n" * 3 + "1,2,3\n" + "1,2\n" * 9
    for text in ("a,b,c\n1,2,3\n1,2\n1,2,3\n1,2,3\n", wider):
        with pytest.raises(DataError, match="ragged"):
            read(tmp_path, text)
    with pytest.raises(DataError, match=r"ragged.*line 43"):  # lines are those of the file
        read(tmp_path, f"Study\n{PLAIN}1,2,3,4\n")


def test_a_row_of_units_is_no_data(tmp_path: Path) -> None:
    plain = read(tmp_path, PLAIN).frame
    for units in (",mg/l,kg", ",(x),[y]", "-,10^9/l,cm"):
        found = read(tmp_path, PLAIN.replace("\n", f"\n{units}\n", 1))
        pd.testing.assert_frame_equal(found.frame, plain)
        assert "read as units" in found.notes[0]
    for data in ("yes,n.d.,n.d.", "maybe,1.5,<5", ",NA,NA"):  # the first sample
        assert len(read(tmp_path, PLAIN.replace("\n", f"\n{data}\n", 1)).frame) == 41


def test_headers_of_two_rows() -> None:
    for written, names in (
        ("Blood,,Body,\nCRP,Leu,BMI,cm", "CRP,Leu,BMI,cm"),
        ("id,Left,,Right,\n,x,y,x,y", "id,Left x,Left y,Right x,Right y"),
        (",a,b,c", ",a,b,c"),
        ("a,,b,c", "a,,b,c"),
    ):
        rows = [line.split(",") for line in written.split("\n")]
        body = [[str(i + j) for j in range(len(rows[0]))] for i in range(5)]
        head = read_head([*rows, *body])
        assert (",".join(head.names), head.n_rows) == (names, len(rows))


def test_a_sheet_with_title_merged_header_and_units(tmp_path: Path) -> None:
    writer = pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    book = writer.Workbook(tmp_path / "t.xlsx")
    sheet = book.add_worksheet("Data")
    sheet.write(1, 0, "Study XY, export of March")
    sheet.merge_range(3, 1, 3, 2, "Blood")
    sheet.write_row(4, 0, ["Outcome", "CRP", "Leukocytes"])
    sheet.write_row(5, 0, ["", "mg/l", "10^9/l"])
    sheet.write(3, 0, "")
    for i in range(30):
        sheet.write_row(6 + i, 0, ["yes" if i % 2 else "no", 0.5 * i, 30 - i])
    book.close()
    found = read_source(tmp_path / "t.xlsx")
    assert list(found.frame.columns) == ["Outcome", "CRP", "Leukocytes"]
    assert [dtype.kind for dtype in found.frame.dtypes[1:]] == ["f", "i"]
    assert len(found.notes) == 3
    for header in (5, "4-5"):
        again = read_table(tmp_path / "t.xlsx", header=header)
        pd.testing.assert_frame_equal(again, found.frame)
    with pytest.raises(ParameterError, match="header must be the number of a row"):
        Reading(header="first")


def test_encodings_are_found_and_said(tmp_path: Path) -> None:
    text = "Größe;Zustand\n" + "1,5;müde – 5 µg\n2,5;höflich\n" * 9
    want = read(tmp_path, text).frame
    for encoding in ("cp1252", "mac-roman"):
        found = read(tmp_path, text.encode(encoding))
        pd.testing.assert_frame_equal(found.frame, want)
        assert any(f"the text is {encoding} (not UTF-8" in note for note in found.notes)
        assert found.record["encoding"] == encoding


def test_limits_of_detection(tmp_path: Path) -> None:
    text = "class,crp\n" + "no,<5\nyes,7.5\nno,> 100\nyes,n.d.\n" * 5
    assert "detection_limit" in codes(read(tmp_path, "crp,x\n<5,1\n7,2\n").frame)
    german = "".join(f"{7 + i},5;{i / 4}\n".replace(".", ",") for i in range(20))
    assert "detection_limit" in codes(read(tmp_path, f"crp;x\n<5;1,5\n{german}").frame)
    ways = {"half": [2.5, 7.5, 100], "limit": [5, 7.5, 100], "missing": [np.nan, 7.5, np.nan]}
    for limits, values in ways.items():
        frame = read(tmp_path, text, limits=limits, missing="crp=n.d.").frame
        np.testing.assert_array_equal(frame["crp"][:4], [*values, np.nan])
    stopped = check_table(read(tmp_path, text).frame.drop(columns="class")).findings[0]
    assert "'n.d.'" in stopped.sentence  # the code that can be named, not the limit
    with pytest.raises(ParameterError, match="limits must be one of"):
        Reading(limits="double")


def test_codes_of_some_columns(tmp_path: Path) -> None:
    text = "q1,q2,age,word\n1,9,9,9\n9,2,99,x\n"
    frame = read(tmp_path, text, missing=["q*=9", "age=99", "word=x"]).frame
    assert frame.isna().to_numpy().astype(int).tolist() == [[0, 1, 0, 0], [1, 0, 1, 1]]
    with pytest.raises(UnknownNameError, match=r"unknown column 'z\*'"):
        read(tmp_path, text, missing="z*=9")


def codes(X: pd.DataFrame, y: object = None, **more: object) -> list[str]:
    return [finding.code for finding in check_table(X, y, **more).findings]


def survey(code: int) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    answers = rng.integers(1, 6, (200, 6))
    answers[rng.random((200, 6)) < 0.1] = code
    X = pd.DataFrame(answers, columns=[f"q{j}" for j in range(1, 7)])
    X["age"] = rng.integers(18, 90, 200)
    return X, pd.Series(np.where(rng.random(200) < 0.1, code, rng.integers(1, 3, 200)), name="vote")


def test_answer_codes_of_a_survey_are_pointed_at() -> None:
    for code in (7, 8, 9, 99):
        X, y = survey(code)
        [finding] = [found for found in check_table(X, y).findings if found.code == "answer_code"]
        assert finding.severity == "warning"
        assert f"{code} in 7 columns (vote, q1, … q6)" in finding.sentence
        assert f"missing=['vote={code}', 'q*={code}']" in finding.remedy
    X, y = survey(6)  # the end of the scale itself
    assert check_table(X, y).findings == ()
    for few in (["q1"], ["q1", "q2"]):  # one or two columns, not the target
        assert check_table(X.assign(**X[few].replace(6, 9)), y).findings == ()


def test_codes_of_events_are_asked_for() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = pd.DataFrame({"time": rng.integers(1, 99, 60), "status": rng.integers(0, 3, 60)})
    [finding] = check_table(X, y, task="survival").findings
    assert (finding.code, finding.columns) == ("event_codes", ("status",))
    assert "0, 1 and 2" in finding.sentence
    for events in (y["status"] == 2, y["status"].clip(upper=1), y["status"].clip(lower=1)):
        assert "event_codes" not in codes(X, y.assign(status=events), task="survival")


def test_names_of_rows_and_subjects_are_not_ranked_without_a_word() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    subject = np.repeat(np.arange(20), 4)
    y = pd.Series(rng.integers(0, 2, 20)[subject], name="arm")
    note = [f"note {i}" for i in range(80)]
    for name, column in {"note": note, "Id": rng.permutation(800)[:80], "patient": subject}.items():
        with pytest.warns(PyfsaggWarning, match=f"column '{name}' .* ranked as a feature"):
            pyfsagg.wam(X.assign(**{name: column}), y, n_resamples=5, random_state=0)
    grouped = pyfsagg.resampling.GroupedBootstrap(subject)
    pyfsagg.wam(X.assign(patient=subject), y, n_resamples=5, resampling=grouped, random_state=0)
