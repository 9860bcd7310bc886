"""Files to try readers on: whole ones of each format, what mutation leaves of them, and checks."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokoban.sokoban.formats import (
    LevelFile,
    parse_board,
    parse_boxoban,
    parse_levels,
    write_boxoban,
    write_levels,
    write_xsb,
)
from tokoban.sokoban.formats.levels import parse_content
from tokoban.sokoban.formats.slc import parse_slc

SMALL = "#####\n#@$.#\n#####\n"
TEN = "##########\n" + "#        #\n" * 7 + "#@$.     #\n##########"
SOK = """\
About the file
Collection: Samples
Author: A. File
:: raw

; 12 'The Mixer'

#########
#@   $ .#
#########

Author: B. Level
Key: value
words

Solution/Moves
rrrRR

by hand

Snapshot
2(rl)r*rl

Comment:
#@$.#
Comment-End

Level 2

5#|#p_-b.#|2(6#|)

Title: Second
Solution
3rR
dull

Reverse Mode Snapshot
[]R

    #####
    #+$*#
-_-
  ##### #*#
; under
"""
SLC = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">
<SokobanLevels><Title>T &amp; t</Title><Description>
words
</Description>
<LevelCollection Copyright="C" MaxWidth="5" MaxHeight="3">
<Level Id="one &#x26; &lt;" Width="5" Height="3" Copyright="D">
<L>#####</L><L>#@$.#</L>
<L>#####</L></Level><Level Id="two"><L> ####</L><L> #@*#</L><L/><L> ####</L></Level>
</LevelCollection></SokobanLevels>
"""
SEEDS = (SOK, SMALL, SLC, write_boxoban([parse_board(TEN)] * 2), "Game: Sokoban\r\n" + SOK)
WORDS = (
    *("#", "@", "+", "$", "*", ".", "-", "_", " ", "p", "b", "P", "B", "|", "(", ")", "\t", "\0"),
    *("\n", "\r", "\n\n", "9", "32767", "999999", "0", "2(", "(((", ";", "; 0\n", ":: ", ":", "="),
    *("Title: x\n", "Author:", "Solution\n", "Solution/Pushes", "SaveGame\n", "\nrR\n", "[", "{"),
    *(
        "Game: Hexoban\n",
        "Comment:\n",
        "Comment-End",
        "Level 1\n",
        "'x'",
        "\x85",
        "\u2028",
        "\ufeff",
    ),
    *("<", ">", "</L>", "<L>", "<Level Id='", "<!ENTITY a 'b'>", "&a;", "&#0;", "<![CDATA[", "]]>"),
    *("\ud7ff", "\u00e9", "\x1b[31m", "*r", "99(r)", "##########\n", SMALL, f"\n{SMALL}\n"),
)


def mutate(chance: random.Random) -> bytes:
    """A whole file with up to a dozen pieces changed, moved, repeated, taken out or brought in."""
    text = chance.choice(SEEDS)
    for _ in range(chance.randint(1, 12)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + int(chance.expovariate(0.2)))
        piece, other = text[start:end], chance.choice(SEEDS)
        from_other = other[(at := chance.randrange(len(other))) : at + chance.randrange(40)]
        new = chance.choice(["", piece * 2, piece[::-1], from_other, *chance.sample(WORDS, 4)])
        text = text[:start] + new + text[end:]
    content = text.encode(chance.choice(["utf-8", "utf-8", "latin-1", "utf-16"]), "replace")
    if chance.random() < 0.2:
        place = chance.randrange(len(content) + 1)
        content = content[:place] + chance.randbytes(chance.randrange(5)) + content[place:]
    return content


def check(content: bytes) -> LevelFile:
    """Reads the bytes as a file of each format, and writes what its own reader has read."""
    parse_slc(content)
    parse_boxoban(content.decode("latin-1"))
    read = parse_content(content)
    assert read.levels or read.problems
    assert all(str(found).isprintable() for found in (*read.problems, *read.warnings))
    for run_length in (False, True):
        written = write_levels(read.levels, notes=read.notes, run_length=run_length)
        again = parse_levels(written, strict=bool(read.levels))
        if read.levels:
            assert again == LevelFile(read.levels, notes=read.notes)
        write_xsb(read.levels, run_length=run_length)
    return read


def status_bytes(key: str) -> int:
    """A figure of this process from Linux, such as ``VmHWM``, the most memory that it held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status says nothing of {key}")


@contextmanager
def peak_growth() -> Iterator[list[int]]:
    """A list that gets the bytes that this process held at most in the block beyond its start."""
    growth: list[int] = []
    Path("/proc/self/clear_refs").write_text("5")  # forgets earlier peaks
    before = status_bytes("VmRSS")
    yield growth
    growth.append(status_bytes("VmHWM") - before)
