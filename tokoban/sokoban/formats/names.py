"""The lines between boards: which of them name a level, and which are left as notes.

``Title:`` pairs, title lines and ``;`` comments all name levels; the first of these wins.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile

from tokoban.sokoban.formats.rows import without_blank_ends
from tokoban.sokoban.formats.text_lines import BLANKS, Kind, classify, read_pair, split_lines

ROWS = (Kind.BOARD, Kind.DAMAGED_ROW)
MOVES = (Kind.MOVES, Kind.DAMAGED_MOVES)
# A line of tags, as in forums and pages, which is no name.
_FORUM, _PAGE = "code|quote|pre|spoiler", "doctype|html|head|body|pre|code|p|br|div"
_TAGS = re.compile(
    rf"(\s*(\[/?({_FORUM})\]|<[!/]?({_PAGE})\b[^<>]*>))+\s*",
    re.IGNORECASE,
)
# A title stands apart from what is above it if that is one of these.
_BESIDES = BLANKS | {Kind.COMMENT, Kind.RAW_COMMENT, Kind.RULER}
_PAIRS = {Kind.TITLE, Kind.AUTHOR, Kind.PAIR}
_NEAR = {Kind.BLANK, *_PAIRS}


@dataclass(frozen=True)
class Place:
    """The lines ``[start, end)`` below a board or below moves, up to the next of them."""

    start: int
    end: int


@dataclass(frozen=True)
class Names:
    """The lines above a board that name its level."""

    text: str = ""  # a line of text
    comment: str = ""  # "; name"


class LevelText:
    """The lines of a file, their kinds, and which of them have been taken to name something."""

    def __init__(self, text: str) -> None:
        # NUL characters must not get into notes; what looks for them reads the text itself.
        self.lines = split_lines(text.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        self.kinds = classify(self.lines)
        self._names_are_below = self._pairs_are_above = False
        self.taken: set[int] = set()  # the lines that became a title or an author: no more notes

    def title_line(
        self, texts: Sequence[int], *, may_be: tuple[Kind, ...] = (Kind.TEXT,)
    ) -> int | None:
        """Which of the lines of text above a block is its title, or ``None``.

        It is the last one, if it stands apart or is the only one.
        """
        if not texts or self.kinds[texts[-1]] not in may_be:
            return None
        is_apart = len(texts) == 1 or self.kinds[texts[-1] - 1] in _BESIDES
        return texts[-1] if is_apart else None

    def tops(self, boards: Sequence[tuple[int, int]]) -> list[int]:
        """For each board the first line of its rows, or of the pairs above them that name it.

        Pairs belong to the board below them if every board has a title directly above it, which
        does not touch the board before, and the last board has none below. Otherwise they belong
        to the board above.
        """
        ends = [0, *(end for _, end in boards)]
        starts = [start for start, _ in boards]
        tops = [self._top(*place) for place in zip(ends, starts, strict=False)]
        below_last = self._pairs(Kind.TITLE, Place(ends[-1], len(self.lines)))
        self._pairs_are_above = len(boards) > 1 and None not in tops and not any(below_last)
        return [top for top in tops if top is not None] if self._pairs_are_above else starts

    def _top(self, end: int, start: int) -> int | None:
        """The first line of the pairs above the board at ``start``; None if no title is there."""
        near = takewhile(lambda index: self.kinds[index] in _NEAR, range(start - 1, end - 1, -1))
        top = next((index for index in near if self.kinds[index] is Kind.TITLE), None)
        while top is not None and top > end and self.kinds[top - 1] in _PAIRS:
            top -= 1
        # Pairs directly under the board before belong to that board.
        return None if top == end > 0 else top

    def place_comments(self, places: Sequence[Place]) -> None:
        """Finds out whether comments name the board above or below, from the place below each.

        They stand below their boards if there is one under the last, unless there are comments
        under another and none directly.
        """
        self._names_are_below = bool(places) and self._comment_under(places[-1]) != ""
        for place in places[:-1]:
            has_comment = any(map(self._comment_name, range(place.start, place.end)))
            if has_comment and not self._comment_under(place):
                self._names_are_below = False

    def take_names(self, place: Place) -> Names:
        """The names of the board below this place; none where pairs name all boards."""
        if self._pairs_are_above:
            return Names()
        comment = None if self._names_are_below else self._comment_above(place)
        texts = [
            index
            for index in range(place.start, place.end)
            if self.kinds[index] in (Kind.TEXT, *MOVES) and not _TAGS.fullmatch(self.lines[index])
        ]
        text = self.title_line(texts, may_be=(Kind.TEXT, *MOVES))
        # Words parted by a blank line from the comment that names the board are notes.
        if None not in (text, comment) and BLANKS.intersection(self.kinds[text:comment]):
            text = None
        self.taken.update(index for index in (text, comment) if index is not None)
        return Names(
            text="" if text is None else unquote(self.lines[text]),
            comment="" if comment is None else self._comment_name(comment),
        )

    def take_title(
        self, number: int, names: Names, about: Sequence[Place], *, default: str
    ) -> tuple[str, tuple[str, ...]]:
        """The title of a level, and as notes the names that it lost to.

        ``about`` are the places of its pairs, above the rows (from ``tops``) and below them.
        ``default`` names the level if no pair there does; an empty pair says that it does not.
        """
        text = "" if names.text == f"Level {number}" else names.text
        title = default or text or names.comment
        for line, paired in self._pairs(Kind.TITLE, *about):
            if paired or default:
                title = paired or text or names.comment
                self.taken.add(line)
                break
        if not title and self._names_are_below:
            title = self._comment_under(about[-1])
            self.taken.update([about[-1].start] if title else [])
        lost = (name for name in (text, names.comment) if name not in ("", title, f"Level {title}"))
        return title, tuple(f"; {name}" for name in lost)

    def take_author(self, about: Sequence[Place], *, default: str) -> str:
        """The author named in these places, or ``default``."""
        for line, author in self._pairs(Kind.AUTHOR, *about):
            self.taken.add(line)
            return author
        return default

    def value(self, kind: Kind, place: Place) -> str:
        """The value of the first such pair in this place, whose line stays a note."""
        return next((value for _, value in self._pairs(kind, place)), "")

    def strange_game(self, place: Place) -> tuple[int, str] | None:
        """The line and the name of the game in this place if it is another game than Sokoban."""
        for line, name in self._pairs(Kind.PAIR, place):
            if read_pair(self.lines[line])[0] == "game" and name.lower() != "sokoban":
                return line, name
        return None

    def order(self, place: Place) -> tuple[int, str] | None:
        """The first line that says which box belongs to which goal, and its key."""
        for line, _ in self._pairs(Kind.PAIR, place):
            key, _ = read_pair(self.lines[line])
            if key in ("boxorder", "goalorder"):
                return line, key
        return None

    def notes(self, place: Place) -> tuple[str, ...]:
        """The lines of a place that nothing else has taken, without blank ones at either end."""
        notes = [
            "" if index in self.taken else self.lines[index]
            for index in range(place.start, place.end)
            if self.kinds[index] is not Kind.UNCLOSED_BLOCK
        ]
        return tuple(without_blank_ends(notes))

    def _comment_above(self, place: Place) -> int | None:
        """The comment that names the board below: nothing but blank lines may be between them."""
        index = place.end - 1
        while index > place.start and self.kinds[index] in BLANKS:
            index -= 1
        return index if index >= place.start and self._comment_name(index) else None

    def _comment_under(self, place: Place) -> str:
        """The name in the comment directly under the board above this place."""
        return self._comment_name(place.start) if place.start < place.end else ""

    def _comment_name(self, index: int) -> str:
        """The name in a line ``; name``; empty for other lines, and for lines drawn in comments."""
        name = self.lines[index].strip().lstrip(";")
        is_name = self.kinds[index] is Kind.COMMENT and any(map(str.isalnum, name))
        return unquote(name) if is_name else ""

    def _pairs(self, kind: Kind, *places: Place) -> Iterator[tuple[int, str]]:
        """The lines and the values of the pairs of this kind."""
        for index in chain.from_iterable(range(place.start, place.end) for place in places):
            if self.kinds[index] is kind:
                yield index, read_pair(self.lines[index])[1]


def unquote(name: str) -> str:
    """``name`` without the quotes in ``'name'`` or ``12 'name'``."""
    name = name.strip()
    quote = name[-1:]
    start = name.find(quote) if quote in ("'", '"') else -1
    before, inside = name[:start], name[start + 1 : -1]
    if start < 0 or not inside.strip() or any(map(str.isalpha, before)):
        return name
    return before + inside.strip()
