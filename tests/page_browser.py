"""A real browser on the page of the service, for its tests."""

from __future__ import annotations

import csv
import shutil
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from page_scorer import PageScorer
from sub2node.scoring import Scorer

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--force-prefers-reduced-motion")  # fmt: skip
WAIT = 15.0
# Texts that stick out of what holds them, and the least contrast of a text with what is under it.
CUT = """
return [...document.querySelectorAll('h1, h2, h3, p, li, th, td, dt, dd')]
  .filter(e => !e.matches('.away') && getComputedStyle(e).display !== 'inline')
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => e.textContent.trim())
"""
CONTRAST = """
const channels = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
  .map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
const under = (e) => {
  for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if ((channels(colour)[3] ?? 1) === 1) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const ratios = [...document.querySelectorAll('h1, h2, h3, p, li span, th, td, dt, dd, a')]
  .filter(e => e.textContent.trim())
  .map(e => [getComputedStyle(e).color, under(e)].map(channels).map(light).sort((a, b) => b - a))
  .map(([more, less]) => (more + .05) / (less + .05));
return Math.min(...ratios);
"""


class Page:
    """A browser and short ways to what the tests look at."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        self.driver, self.downloads = driver, downloads
        self.home = ""

    def open(self, address: str, width: int = 1280, height: int = 900) -> None:
        self.home = address
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 500)  # fmt: skip
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(address)

    def cdp(self, command: str, **values: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, values)

    def js(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
        return self.js(script, selector)

    def text(self, selector: str) -> str:
        return (self.texts(selector) or [""])[0]

    def wait(self, test: Callable[[], Any], what: str = "") -> Any:
        end = time.monotonic() + WAIT
        while not (found := test()):
            assert time.monotonic() < end, f"{what or 'it'} did not come: {self.text('main')[:500]}"
            time.sleep(0.02)
        return found

    def press(self, *keys: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def ready(self) -> None:
        self.wait(lambda: self.text("#model-name").startswith("genes"), "the model")

    def paste(self, text: str) -> None:
        self.js("document.getElementById('paste-box').open = true")
        self.js("document.getElementById('paste').value = arguments[0]", text)
        self.one("#paste-add").click()

    def answered(self) -> None:
        self.wait(lambda: self.texts(".verdict"), "the answer")
        self.wait(lambda: self.texts(".similar") and self.texts(".stage"), "the rest")
        self.wait(lambda: not self.all("[aria-busy]"), "the end of all requests")

    def ask(self, *nodes: str) -> None:
        self.paste("\n".join('"{}"'.format(node.replace('"', '""')) for node in nodes))
        self.one("#ask").click()
        self.answered()

    def give(self, name: str, content: str | bytes, **others: str | bytes) -> None:
        """Drop a file on the page, or several at once (``a_json=…`` is ``a.json``)."""
        files = {name: content} | {key.replace("_", "."): value for key, value in others.items()}
        packed = [
            (key, b64encode(value.encode() if isinstance(value, str) else value).decode())
            for key, value in files.items()
        ]
        self.js(
            "const data = new DataTransfer();"
            "for (const [name, packed] of arguments[0])"
            "  data.items.add(new File("
            "    [Uint8Array.from(atob(packed), (one) => one.charCodeAt(0))], name));"
            "document.getElementById('drop').dispatchEvent("
            "  new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))",
            packed,
        )

    def saved(self, name: str) -> list[dict[str, str]]:
        """The rows of the CSV that the page gives."""
        self.wait(
            lambda: any(one.is_displayed() for one in self.all("#batch .primary")),
            "the end of the file",
        )
        self.one("#batch .primary").click()
        file = self.downloads / name
        self.wait(lambda: file.exists() and file.stat().st_size, name)
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        file.unlink()
        return rows

    def fits(self) -> bool:
        return self.js("return document.documentElement.scrollWidth <= innerWidth")

    def prefer(self, *, dark: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def is_dark(self) -> bool:
        paper = self.js("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, paper[4:-1].split(","))) < 200

    def cut_texts(self) -> list[str]:
        return self.js(CUT)

    def least_contrast(self) -> float:
        return self.js(CONTRAST)

    def complaints(self) -> list[str]:
        """What the console says, but for answers that are refusals."""
        lines = [line["message"] for line in self.driver.get_log("browser")]
        return [line for line in lines if "Failed to load resource" not in line]


def serving(scorer: PageScorer | Scorer, token: str | None = None) -> Iterator[str]:
    import uvicorn

    from sub2node.serve.app import create_app
    from sub2node.serve.request_limits import Limits, Token

    app = create_app(scorer, limits=Limits(subgraphs=20, nodes=200), token=Token(token))
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)  # a failed test leaves it running
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    if isinstance(scorer, PageScorer):
        scorer.may_run.set()
    server.should_exit = True
    thread.join()


def browsing(folder: Path) -> Iterator[Page]:
    """A browser of its own, whose profile and downloads are in ``folder``."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'user'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    page = Page(driver, folder)
    page.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    try:
        yield page
    finally:
        driver.quit()
