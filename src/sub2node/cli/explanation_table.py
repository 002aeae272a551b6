"""An explanation as ``s2n predict --why`` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from .output import console, table

if TYPE_CHECKING:
    from ..scoring import Explanation


def show_explanation(explanation: Explanation) -> None:
    """Print what each member and each neighbour contributes to a probability."""
    title = f"Why {explanation.label}: percentage points of its probability"
    view = table(title, "What", "", "Points")
    view.add_row("before any member is known", "", f"{100 * explanation.baseline:.1f}")
    for kind, parts in (("member", explanation.members), ("neighbour", explanation.neighbors)):
        for part in parts[:10]:
            title = f" ({part.title})" if part.title and part.title != part.id else ""
            label = f" · {', '.join(part.labels)}" if part.labels else ""
            role = part.member_kind if kind == "member" else kind
            view.add_row(Text(f"{part.id}{title}"), Text(role + label), f"{100 * part.value:+.1f}")
        if len(parts) > 10:
            rest = sum(part.value for part in parts[10:])
            view.add_row(f"{len(parts) - 10} more", kind, f"{100 * rest:+.1f}")
    if not explanation.neighbors and explanation.joins:
        view.add_row("no link to known subgraphs", "", "")
    if explanation.statistics is not None:
        view.add_row("its statistics", "", f"{100 * explanation.statistics:+.1f}")
    if explanation.border is not None:
        view.add_row("what lies around it", "", f"{100 * explanation.border:+.1f}")
    view.add_row("together", "", f"{100 * explanation.probability:.1f}", style="bold")
    console.print(view)
