"""Damaged, hostile and endless files: each is read or told, soon, and what was read is writable."""

import random
import time

import pytest

from tokoban.sokoban.formats import (
    LevelFile,
    parse_board,
    parse_boxoban,
    parse_levels,
    text_reader,
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


@pytest.mark.parametrize("seed", range(30))
def test_damaged_files_are_read_or_told_and_written_again(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        check(mutate(chance))


@pytest.mark.slow
def test_many_damaged_files_are_read_or_told_and_written_again() -> None:
    chance = random.Random(1)
    found = [check(mutate(chance)) for _ in range(5000)]
    assert sum(bool(read.levels) for read in found) > 1000
    assert sum(bool(read.problems) for read in found) > 1000


# Each grows with its number of letters; so may the time, and no faster.
ENDLESS = {
    "groups in groups": lambda size: f"{SMALL[:-6]}" + "9(" * (size // 2) + "#",
    "boards in code": lambda size: "99#|96(#97-#|)#@$.94-#|99#\n\n" * (size // 28),
    "games in code": lambda size: f"{TEN}\n\n" + "499999(du)\n\n" * (size // 12),
    "rows of nothing": lambda size: f"5#|#@$.#|{'|' * size}5#",
    "rulers": lambda size: "-\n" * (size // 2),
    "short rows": lambda size: "#\n" * (size // 2),
    "walls apart": lambda size: "# " * (size // 2),
    "rows that are none": lambda size: "#" * size + "x",
    "headings": lambda size: SMALL + "Solution\n" * (size // 9),
    "titles": lambda size: SMALL + "Title: x\n" * (size // 9),
    "comments": lambda size: "Comment:\n" * (size // 9),
    "blank lines": lambda size: SMALL + "\n" * size + SMALL,
    "keys": lambda size: "a " * (size // 2),
    "moves": lambda size: f"{SMALL}Solution\n" + "rl" * (size // 2),
    "blanks": lambda size: f"Solution{' ' * size}x\n{SMALL}",
    "quotes": lambda size: f"{SMALL}; {chr(39) * size}\n\n{SMALL}",
    "levels": lambda size: f"{SMALL}\n" * (size // 19),
    "elements": lambda size: f"<SokobanLevels>{'<L></L>' * (size // 7)}",
    "rows of elements": lambda size: f"<SokobanLevels><Level>{'<L>#</L>' * (size // 8)}</Level>",
    "attributes": lambda size: f"<SokobanLevels {'a' * size}",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_files_without_end_are_read_or_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reader, "MAX_LENGTH", 5000)
    read = parse_content(ENDLESS[name](2000).encode())
    assert read.levels or read.problems


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_the_time_grows_with_the_file_and_no_faster(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_reader, "MAX_LENGTH", 5000)

    def spent_s(size: int) -> float:
        start = time.process_time()
        parse_content(ENDLESS[name](size).encode())
        return time.process_time() - start

    spent_s(20_000)  # what is done once
    assert spent_s(160_000) < 20 * spent_s(20_000) + 1  # 64 times, were it the square
