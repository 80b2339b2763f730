from ._base.remarks import ALONE as ALONE
from ._base.remarks import set_aside as set_aside
from ._base.remarks import warn as warn
from ._base.settings import names_of as names_of
from ._base.validation import check_choice as check_choice
from ._base.validation import check_integer as check_integer
from ._base.words import duration as duration
from ._base.words import number as number
from ._base.words import plural as plural
from ._base.words import probabilities as probabilities
from ._base.words import readable as readable
from ._base.words import setting as setting
from ._command.flags import add_output_flags as add_output_flags
from ._command.flags import add_work_flags as add_work_flags
from ._command.flags import output_place as output_place
from ._command.results import keep_result as keep_result
from ._message import NONE as NONE
from ._message import Got as Got
from ._message import Param as Param
from ._report.closing import closing as closing
from ._report.closing import named_settings as named_settings
from ._report.closing import software as software
from ._report.drawing import BLUE as BLUE
from ._report.drawing import GREY as GREY
from ._report.drawing import INK as INK
from ._report.drawing import ORANGE as ORANGE
from ._report.drawing import clear_frame as clear_frame
from ._report.drawing import feature_axis as feature_axis
from ._report.drawing import legend_above as legend_above
from ._report.drawing import new_axes as new_axes
from ._report.drawing import picture as picture
from ._report.drawing import set_title as set_title
from ._report.page import Block as Block
from ._report.page import Enumeration as Enumeration
from ._report.page import Page as Page
from ._report.page import PageColumn as PageColumn
from ._report.page import PageTable as PageTable
from ._report.page import Records as Records
from ._report.page import Section as Section
from ._report.page import Text as Text
from ._report.page import write_page as write_page
from ._run.checkpoint import open_checkpoint as open_checkpoint
from ._run.parallel import run_tasks as run_tasks
from ._run.result import Face as Face
from ._run.result import Result as Result
from ._run.result import shown_by as shown_by
from ._table.identity import data_hash as data_hash
from ._table.identity import versions as versions
from ._table.table import as_table as as_table
from ._table.target import check_target as check_target
from .datasets._catalogue import split_target as split_target
from .datasets._loaders import data_folder as data_folder
from .rank_order._report import draw_paths as draw_paths
from .stability_measures.measure import measure_stability as measure_stability

__all__ = [
    "ALONE",
    "BLUE",
    "GREY",
    "INK",
    "NONE",
    "ORANGE",
    "Block",
    "Enumeration",
    "Face",
    "Got",
    "Page",
    "PageColumn",
    "PageTable",
    "Param",
    "Records",
    "Result",
    "Section",
    "Text",
    "add_output_flags",
    "add_work_flags",
    "as_table",
    "check_choice",
    "check_integer",
    "check_target",
    "clear_frame",
    "closing",
    "data_folder",
    "data_hash",
    "draw_paths",
    "duration",
    "feature_axis",
    "keep_result",
    "legend_above",
    "measure_stability",
    "named_settings",
    "names_of",
    "new_axes",
    "number",
    "open_checkpoint",
    "output_place",
    "picture",
    "plural",
    "probabilities",
    "readable",
    "run_tasks",
    "set_aside",
    "set_title",
    "setting",
    "shown_by",
    "software",
    "split_target",
    "versions",
    "warn",
    "write_page",
]
