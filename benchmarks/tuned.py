"""From studies to the presets that `--preset tuned` finds.

    python benchmarks/tuned.py STUDY_FOLDER|FILE.json …

Each folder is one that `s2n tune` wrote, each file one of benchmarks/confirm.py. Its winner becomes
the section of its structure in src/sub2node/presets/tuned/CONV/DATA.toml, with the evidence as a
note; other sections stay.
benchmarks/README.md has the commands of the studies.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from sub2node.config import STRUCTURES
from sub2node.settings import to_toml

HOME = Path(__file__).parents[1] / "src" / "sub2node" / "presets" / "tuned"


def section(found: dict[str, Any]) -> dict[str, Any]:
    """All settings of a winner, and its evidence."""
    settings = {k: v for k, v in found["config"].items() if k not in ("structure", "conv")}
    return {"notes": [found["evidence"]], **settings}


def main() -> None:
    for given in map(Path, sys.argv[1:]):
        source = given / "study.json" if given.is_dir() else given
        found = json.loads(source.read_text(encoding="utf-8"))
        config = found["config"]
        file = HOME / config["conv"] / f"{found['spec']['name']}.toml"
        known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        known[config["structure"]] = section(found)
        text = [f"# Winners of s2n tune on {found['spec']['name']} with {config['conv']}.\n"]
        for structure in STRUCTURES:
            if structure in known:
                quoted = {f'"{structure}"': known[structure]}
                text.append(to_toml(quoted))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(text), encoding="utf-8")
        print(f"{file}: {found['evidence']}")


if __name__ == "__main__":
    main()
