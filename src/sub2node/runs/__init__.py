"""Run folders and journals: one writer, one reader."""

from .reader import WORK_FILES as WORK_FILES
from .reader import Run as Run
from .reader import RunSet as RunSet
from .reader import Work as Work
from .reader import load_scores as load_scores
from .reader import read_result as read_result
from .reader import read_study as read_study
from .reader import read_works as read_works
from .run_records import RunFile as RunFile
from .run_records import StudyFile as StudyFile
from .run_records import read_json as read_json
from .writer import check_run_folder as check_run_folder
from .writer import save_comparison as save_comparison
from .writer import save_run as save_run
