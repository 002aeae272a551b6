"""Write the numbers of the pages from the rows in benchmarks/results, or check them.

    python benchmarks/tables.py --write     # tables between markers, and numbers in sentences
    python benchmarks/tables.py --check     # exit code 1 where a page and the rows disagree

A table stands between ``<!-- rows: NAME -->`` and ``<!-- end rows -->``; the function that writes
it is in benchmarks/pages/*_tables.py. A sentence with measured numbers has a claim in
benchmarks/pages/*_claims.py. What else looks measured and is a definition, a setting or somebody
else's number stands in benchmarks/pages/allowed.toml with its reason.
"""

from __future__ import annotations

import argparse
import sys

from pages.catalogue import problems, written
from pages.markdown import name_of, pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    job = parser.add_mutually_exclusive_group(required=True)
    job.add_argument("--write", action="store_true", help="Write tables and numbers anew.")
    job.add_argument("--check", action="store_true", help="Say where pages and rows disagree.")
    if parser.parse_args().check:
        disagreements = [problem for page in pages() for problem in problems(page)]
        print("\n".join(disagreements) or "Pages and rows agree.")
        sys.exit(bool(disagreements))
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = written(page)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"Wrote {name_of(page)}")


if __name__ == "__main__":
    main()
