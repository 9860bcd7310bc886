"""SLC: what its elements mean, what is refused and where, and that nothing is let in."""

import pytest

from tokoban.sokoban.formats import LevelFile, parse_board, parse_levels, write_levels
from tokoban.sokoban.formats.encodings import decode
from tokoban.sokoban.formats.slc import looks_like_slc, parse_slc

ROWS = "<L>#####</L>\n<L>#@$.#</L>\n<L>#####</L>\n"
SMALL = parse_board("#####|#@$.#|#####")


def level(rows: str = ROWS, attributes: str = 'Id="one"') -> str:
    return f"<Level {attributes}>\n{rows}</Level>\n"


def slc(*levels: str, about: str = "", collection: str = "", declaration: str = "") -> bytes:
    body = f"<LevelCollection {collection}>\n{''.join(levels)}</LevelCollection>"
    return f"{declaration}<SokobanLevels>{about}\n{body}</SokobanLevels>\n".encode("latin-1")


def test_a_whole_file() -> None:
    read = parse_slc(
        slc(
            level(attributes='Id="Caf\xe9 &amp; &#x26; &lt;co&gt;" Width="5" Height="3"'),
            level(attributes='Id="two" Copyright="B. Level"'),
            about="<Title>Few</Title>\n<Description>\n\n About:  x\n #@$.# \nAuthor: Z\n\n"
            "</Description>\n<Email>a@b.org</Email><Url>http://b.org</Url>",
            collection='Copyright="A.  File" MaxWidth="5" MaxHeight="3"',
            declaration='<?xml version="1.0" encoding="ISO-8859-1"?>\n'
            '<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">\n',
        ),
        source="f",
    )
    assert not read.warnings
    assert [(one.title, one.author, one.source, one.line) for one in read.levels] == [
        ("Caf\xe9 & & <co>", "A. File", "f", 14),
        ("two", "B. Level", "f", 19),
    ]
    assert {one.board for one in read.levels} == {SMALL}
    assert read.notes == (
        *("Collection: Few", "Email: a@b.org", "Url: http://b.org", "Author: A. File", ""),
        *(" About:  x", ";  #@$.#", "; Author: Z"),
    )
    again = parse_levels(write_levels(read.levels, notes=read.notes), strict=True)
    assert again == LevelFile(read.levels, notes=read.notes)


@pytest.mark.parametrize(
    ("rows", "board"),
    [
        ("<L/><L>#####  </L><L>#@$.#</L><L>#####</L><L></L>", "#####|#@$.#|#####"),
        ("<L> #####</L><L> #p<!-- x -->b.#</L><L> #####--</L>", "-#####|-#@$.#|-#####"),
        (f"{ROWS}<L/><L>###</L><L>#*#</L><L>###</L>", "#####|#@$.#|#####|-|###|#*#|###"),
    ],
)
def test_rows_are_squares_and_empty_ones_are_floor(rows: str, board: str) -> None:
    [read] = parse_slc(slc(level(rows))).levels
    assert read.board == parse_board(board)


def titled(title: str, encoding: str) -> str:
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    text = slc(level(attributes='Id="TITLE"'), declaration=declaration).decode("latin-1")
    return text.replace("TITLE", title)


def titles(content: bytes | str) -> list[str]:
    assert looks_like_slc(content if isinstance(content, str) else decode(content))
    read = parse_slc(content)
    assert not read.problems
    return [one.title for one in read.levels]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "cp437"])
def test_the_declared_encoding_is_obeyed(encoding: str) -> None:
    assert titles(titled("d\xfc", encoding).encode(encoding)) == ["d\xfc"]


def test_what_is_declared_latin_1_may_be_that_of_windows() -> None:
    assert titles(titled("n\u2019", "ISO-8859-1").encode("windows-1252")) == ["n\u2019"]


@pytest.mark.parametrize("declared", ["utf-8", "utf-16", "iso-8859-1", "cp437"])
def test_text_and_byte_order_marks_are_believed_rather_than_what_is_declared(declared: str) -> None:
    text = titled("d\xfc \u2019", declared)
    for content in (text, f"\ufeff{text}", text.encode("utf-8-sig"), text.encode("utf-16")):
        assert titles(content) == ["d\xfc \u2019"]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("<L>#####</L>\n<L>#@?.#</L>", 'f:4: level 2 "one": column 3: \'?\' is not a square'),
        ("<L>#####</L>\n<L>#\t@$.#</L>", 'f:4: level 2 "one": column 2: tab in a board row, use '
         "blanks"),
        ("<L>##\n##</L>", 'f:3: level 2 "one": column 3: \'U+000A\' is not a square'),
        ("<L>5#</L>", "f:3: level 2 \"one\": column 1: '5' is not a square"),
        ("<L>#####</L><L>#@$@#</L>", 'f:3: level 2 "one": 2 players at (2, 2), (2, 4); several '
         "players (Multiban) are not supported"),
        ("<L>#####</L><L>#@$.#</L>", 'f:3: level 2 "one": not closed: the player can leave at row '
         "2, column 2"),
        ("", 'f:2: level 2 "one": no player'),
    ],
)  # fmt: skip
def test_a_bad_level_is_reported_and_keeps_the_others(rows: str, problem: str) -> None:
    good = level().replace("\n", "")
    body = f"<SokobanLevels>{good}\n<Level Id='one'>\n{rows}</Level>{good}</SokobanLevels>"
    content = body.encode()
    read = parse_slc(content, source="f")
    assert [str(found) for found in read.problems] == [problem]
    assert len(read.levels) == 2


def test_sizes_that_are_not_those_of_the_rows_are_warned_of() -> None:
    read = parse_slc(slc(level(attributes='Id="x" Width="6" Height="two"')), source="f")
    assert [str(warning) for warning in read.warnings] == [
        'f:3: level 1 "x": Width is 6 but the rows are 5 wide',
        'f:3: level 1 "x": Height is two but the rows are 3',
    ]


ENTITY = "entity declarations are refused"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "f:1: not XML: no element found"),
        (b"<SokobanLevels/>", "f:1: no board found (expected rows of # @ + $ * . and floor)"),
        (b"<html></html>", "f:1: root element is <html>, not <SokobanLevels>"),
        (b"<SokobanLevels>\n</L>", "f:2: not XML: mismatched tag"),
        (b"<SokobanLevels>\xff</SokobanLevels>", "f:1: not XML: not well-formed (invalid token)"),
        (slc(declaration='<?xml version="1.0" encoding="klingon"?>'),
         "f:1: not XML: unknown encoding: klingon"),
        (slc(declaration='<?xml version="1.0" encoding="shift_jis"?>'),
         "f:1: multi-byte encodings are not supported"),
        (slc(about="<Title>&lol;</Title>"), "f:1: not XML: undefined entity"),
        (slc(about="<Title>&lol;</Title>",
             declaration='<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">'),
         "f:1: not XML: undefined entity &lol;"),
        # What would be a gigabyte, a file of this machine, and a parameter that becomes both.
        (slc(declaration='<!DOCTYPE SokobanLevels [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'),
         f"f:1: {ENTITY}"),
        (slc(declaration='<!DOCTYPE SokobanLevels [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
             about="<Title>&x;</Title>"), f"f:1: {ENTITY}"),
        (slc(declaration='<!DOCTYPE SokobanLevels [<!ENTITY % x SYSTEM "http://x.org/"> %x;]>'),
         f"f:1: {ENTITY}"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_whole_file(content: bytes, problem: str) -> None:
    read = parse_slc(content, source="f")
    assert ([str(found) for found in read.problems], read.levels) == ([problem], ())


def test_elements_in_rows_are_no_levels() -> None:
    content = b"<SokobanLevels><Level><L><Level></Level></L></Level></SokobanLevels>"
    assert [str(found) for found in parse_slc(content, source="f").problems] == [
        'f:1: level 1 "": no player'
    ]
    content = b"<SokobanLevels><Level><L><L></L></L></Level></SokobanLevels>"
    [problem] = parse_slc(content, source="f").problems
    assert str(problem) == "f:1: a row <L> stands inside another one"


def test_levels_before_an_error_are_kept() -> None:
    content = slc(level(), level(attributes='Id="two"'))
    for length in range(len(content)):
        read = parse_slc(content[:length], source="f")
        finished = content[:length].count(b"</Level>")
        assert (len(read.levels), len(read.problems)) == (finished, 1) or length == len(content) - 1
