"""``tokoban web``: the page to play, understand and watch, in a browser."""

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import in_one_line
from tokoban.cli.parser import quoted_word, whole
from tokoban.sokoban.formats import read_levels

if TYPE_CHECKING:
    from tokoban.web.app import Collection

SUMMARY = "play levels in a browser, with analysis of positions and attention"
UNDECIDED = ""

# Fixed, since a browser keeps the games of each address apart.
_PORT = 8624


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the files and the address."""
    parser.add_argument(
        "file",
        nargs="*",
        metavar="FILE",
        help="level files (XSB, SOK, RLE, SLC or Boxoban) to offer beside those of the project",
    )
    parser.add_argument(
        "--port",
        type=whole(0, 65535),
        default=_PORT,
        metavar="N",
        help=f"port; 0 is any free one. The browser keeps games by address and port "
        f"(default: {_PORT})",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on; any but a loopback address lets others in the network use this "
        "machine's processors (default: 127.0.0.1)",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        type=_origin,
        metavar="ORIGIN",
        help="origin in the browser's address bar if a proxy is in front of the server, such as "
        "https://play.example; may be given several times",
    )
    parser.add_argument(
        "--no-open", action="store_true", help="do not open the page in the browser"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves the page until Ctrl-C."""
    from tokoban.web import server
    from tokoban.web.app import make_app

    app = make_app(
        _collections(arguments.file), names=[arguments.host], origins=arguments.allow_origin
    )
    listening = server.bind(arguments.host, arguments.port)
    address = server.address_of(listening, arguments.host)

    def announce() -> None:
        print(f"tokoban is at {address} (Ctrl-C ends it)", flush=True)
        if not arguments.no_open:
            server.open_browser(address)

    try:
        server.serve(app, listening, on_ready=announce)
    except KeyboardInterrupt:  # the usual end
        print()
    return 0


def _origin(text: str) -> str:
    """An origin as browsers send it: in lower case and without a path."""
    origin = text.lower().removesuffix("/")
    if not re.fullmatch(r"https?://([^\s/?#@:]+|\[[0-9a-f:.]+\])(:\d+)?", origin):
        raise argparse.ArgumentTypeError(
            f"expected an origin such as https://play.example, got {quoted_word(text)}"
        )
    return origin


def _collections(files: list[str]) -> "list[Collection]":
    """The levels of the project, then those of each file; problems are reported.

    A file without a valid level is reported and left out, beside others that have some. Raises as
    ``read_levels`` does, and ``ValueError``, where that is true of every file.
    """
    from tokoban.cli.output import report_findings
    from tokoban.web.app import Collection, shipped_collection

    found = [shipped_collection()]
    for number, name in enumerate(files, 1):
        try:
            file = read_levels(name)
            if not file.levels:
                raise ValueError(str(file.problems[0]))
        except (OSError, ValueError) as error:
            if number == len(files) and len(found) == 1:
                raise
            print(f"tokoban: {in_one_line(error)}", file=sys.stderr)
            continue
        report_findings(file.problems, file.warnings)
        title = "standard input" if name == "-" else Path(name).stem
        # The page keeps the id of what was played last, so another file has another id.
        id = f"file-{title}"
        while any(one.id == id for one in found):
            id += "+"
        found.append(Collection(id, title, file))
    return found
