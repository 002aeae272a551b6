"""Columns as a pandas data frame, for those who have pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def make_frame(columns: Mapping[str, object]) -> pd.DataFrame:
    """A data frame with these columns.

    Args:
        columns: Sequences of one length, by name.

    Raises:
        MissingExtraError: Where pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "notebook", "a data frame") from None
    return pd.DataFrame(dict(columns))
