"""``tokoban web`` as its own process, and a browser, for what looks at the page from outside."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).resolve().parents[1]


def launched(playwright: Any) -> Any:
    """A new Chromium: this machine's, else Playwright's own."""
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
        args=["--no-sandbox", "--disable-background-networking"],
    )


class Server:
    """A server of the page with some level files; it answers once it is made."""

    def __init__(self, *files: Path) -> None:
        self._files, self.port = files, 0
        self.start()

    def start(self) -> None:
        """Starts it again after ``close``, on the same port."""
        command = [sys.executable, "-m", "tokoban", "web", *map(str, self._files)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--no-open"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(_REPOSITORY)},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert address, f"the server said {line!r}"
        self.url, self.port = address[0], int(address[1])

    def close(self) -> None:
        """Kills it."""
        self.process.kill()
        self.process.communicate()
