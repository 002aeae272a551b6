"""From studies to the presets that `--preset tuned` finds.

    python benchmarks/tuned.py STUDY_FOLDER|FILE.json …

Each folder is one that `s2n tune` wrote, each file one of benchmarks/confirm.py. Its winner becomes
the section of its structure in src/sub2node/config/presets/tuned/CONV/DATA.toml, with the evidence
as a note; other sections stay.
benchmarks/README.md has the commands of the studies.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from sub2node.config import STRUCTURES, Config
from sub2node.config.settings import to_toml
from sub2node.runs import StudyFile, read_json

HOME = Path(__file__).parents[1] / "src" / "sub2node" / "config" / "presets" / "tuned"


def section(study: StudyFile) -> dict[str, Any]:
    """All settings of a winner, and its evidence."""
    tree = Config.from_dict(study.config).to_dict()
    settings = {k: v for k, v in tree.items() if k not in ("structure", "conv")}
    return {"notes": [study.evidence], **settings}


def main() -> None:
    for given in map(Path, sys.argv[1:]):
        source = given / "study.json" if given.is_dir() else given
        study = read_json(StudyFile, source)
        config = study.config
        file = HOME / config["conv"] / f"{study.name}.toml"
        known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        known[config["structure"]] = section(study)
        text = [f"# Winners of s2n tune on {study.name} with {config['conv']}.\n"]
        for structure in STRUCTURES:
            if structure in known:
                quoted = {f'"{structure}"': known[structure]}
                text.append(to_toml(quoted))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(text), encoding="utf-8")
        print(f"{file}: {study.evidence}")


if __name__ == "__main__":
    main()
