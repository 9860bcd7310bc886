"""One pass over a text of levels: boards with titles, notes, solutions and saved games."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.budget import (
    OF_A_BOARD,
    OF_A_GAME,
    OF_A_PROBLEM,
    Budget,
    TooMuchError,
    cost_of_author,
)
from tokoban.sokoban.formats.faults import NO_BOARD, Fault, other_game
from tokoban.sokoban.formats.legality import find_fault, find_fault_in_rows
from tokoban.sokoban.formats.level import Level, LevelFile, Problem, SavedGame, Solution
from tokoban.sokoban.formats.names import MOVES, ROWS, LevelText, Names, Place
from tokoban.sokoban.formats.rows import (
    explain_damaged_row,
    is_of_stars,
    looks_damaged,
    measure_rows,
    read_rows,
    without_blank_ends,
)
from tokoban.sokoban.formats.run_length import measure
from tokoban.sokoban.formats.text_lines import (
    Kind,
    is_bare_heading,
    is_heading,
    is_moves_title,
    is_solution_title,
    read_solution,
    runs,
    split_lines,
)
from tokoban.sokoban.formats.xsb import parse_board

_FaultAt = tuple[int, str]  # a line, and what is wrong there
_WALLS = frozenset("# -_0123456789")  # of a row of walls, encoded or not
_RAGGED = 3  # squares by which neighbouring rows of a board differ at most, where words may stand


@dataclass(frozen=True)
class _Block:
    """A board or moves, by what was read of them, and the place below."""

    place: Place
    game: Solution | SavedGame | None = None
    fault: _FaultAt | None = None
    warning: _FaultAt | None = None


def read_text(text: str, source: str, *, is_limited: bool = True) -> LevelFile:
    """The levels in ``text``; ``source`` is what messages call it.

    ``is_limited`` to what ``budget`` gives to a file, as all is that others wrote.
    """
    return _Reader(text, source, Budget(is_limited=is_limited)).read()


class _Reader:
    """One pass over a text, from board to board."""

    def __init__(self, text: str, source: str, budget: Budget) -> None:
        self.source = source
        self.text = LevelText(text)
        before, nul, _ = text.partition("\0")
        self.nul_line = len(split_lines(before)) - 1 if nul else None
        self.budget = budget
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    def read(self) -> LevelFile:
        text = self.text
        blocks_of_rows = runs([kind in ROWS for kind in text.kinds])
        boards = [board for block in blocks_of_rows for board in self._parted(*block)]
        tops = [*text.tops(boards), len(text.lines)]
        header = Place(0, tops[0])
        self._report_faults_of_the_file(header, has_board=bool(boards))
        is_sokoban = not text.strange_game(header)
        text.place_comments([Place(end, tops[number]) for number, (_, end) in enumerate(boards, 1)])
        author = text.value(Kind.AUTHOR, header)
        # The title of a file is a collection's, unless it has one level only.
        default_title = text.value(Kind.TITLE, header) if len(boards) == 1 else ""
        names = text.take_names(header) if boards else Names()
        levels = []
        for number, (start, end) in enumerate(boards, 1):
            above, below = Place(tops[number - 1], start), Place(end, tops[number])
            try:
                self.budget.spend(cost_of_author(author))
                board, fault = self._read_board(start, end) if is_sokoban else (None, None)
                blocks = self._split(board, below)
                # These belong to the next board, and must be taken before the rest becomes notes.
                last = blocks[-1].place
                next_names = text.take_names(last) if number < len(boards) else Names()
                missing = self._missing_moves(blocks) if board else []
            except TooMuchError as error:
                self._report(start, error.fault, level=number)
                break
            faults = [fault, *(block.fault for block in blocks), *missing]
            if board and (strange := text.strange_game(Place(above.start, below.end))):
                board = None
                faults = [(strange[0], other_game(strange[1]))]
            about = above, blocks[0].place
            title, other_names = text.take_title(number, names, about, default=default_title)
            for line, message in filter(None, faults):
                self._report(line, message, level=number, title=title)
            for line, message in filter(None, (block.warning for block in blocks)):
                self._warn(line, message, level=number, title=title)
            if board:
                if order := text.order(Place(above.start, below.end)):
                    self._warn(order[0], _read_plainly(order[1]), level=number, title=title)
                games = list(self._games(blocks))
                level = Level(
                    board,
                    title,
                    text.take_author(about, default=author),
                    notes=(*other_names, *chain.from_iterable(map(text.notes, about))),
                    solutions=tuple(game for game in games if isinstance(game, Solution)),
                    source=self.source,
                    line=start + 1,
                    saved_games=tuple(game for game in games if isinstance(game, SavedGame)),
                    number=number,
                )
                levels.append(level)
            names = next_names
        problems = sorted(self.problems, key=lambda problem: problem.line)
        return LevelFile(
            tuple(levels), tuple(problems), text.notes(header), warnings=tuple(self.warnings)
        )

    def _report(self, line: int, message: str, *, level: int = 0, title: str = "") -> None:
        self.problems.append(Problem(message, self.source, line + 1, level, title))

    def _warn(self, line: int, message: str, *, level: int = 0, title: str = "") -> None:
        self.warnings.append(Problem(message, self.source, line + 1, level, title))

    def _report_faults_of_the_file(self, header: Place, *, has_board: bool) -> None:
        if self.nul_line is not None:
            sentence = (
                "NUL character: no text in UTF-8, Windows-1252 or UTF-16 with a byte order mark"
            )
            self._report(self.nul_line, Fault(sentence, "no-text"))
        damaged = self._damaged_rows(among_words=has_board)
        for row in damaged if has_board else damaged[:1]:
            self.budget.spend(OF_A_PROBLEM)
            self._report(row, explain_damaged_row(self.text.lines[row]))
        if not has_board and not damaged:
            self._report(0, NO_BOARD)
        if strange := self.text.strange_game(header):
            self._report(strange[0], other_game(strange[1]))
        if order := self.text.order(header):
            self._warn(order[0], _read_plainly(order[1]))
        if Kind.UNCLOSED_BLOCK in self.text.kinds:
            opened = self.text.kinds.index(Kind.UNCLOSED_BLOCK)
            sentence = "comment block opened here is never closed"
            self._report(opened, Fault(sentence, "open-comment"))

    def _damaged_rows(self, *, among_words: bool) -> list[int]:
        """The lines of text that were meant to be rows of a board, one for each board.

        ``among_words``, as in a file with other boards, those alone between lines about as long.
        """
        found: list[int] = []
        lines = self.text.lines
        for start, end in runs([kind is Kind.TEXT for kind in self.text.kinds]):
            for row in range(start, end):
                beside = lines[max(start, row - 1) : min(end, row + 2)]
                lengths = [len(line.strip()) for line in beside]
                is_between = len(beside) == 3 and max(lengths) - min(lengths) <= _RAGGED
                if looks_damaged(lines[row]) and (is_between or not among_words):
                    found.append(row)
                    break
        return found

    def _read_board(self, start: int, end: int) -> tuple[Board | None, _FaultAt | None]:
        """The board in these lines, or the line and the reason why there is none."""
        self.budget.spend(OF_A_BOARD)
        lines = self.text.lines[start:end]
        for index, line in enumerate(lines, start):
            if self.text.kinds[index] is Kind.DAMAGED_ROW:
                return None, (index, explain_damaged_row(line))
        length = sum(map(measure_rows, lines))
        self.budget.spend(length)
        rows = without_blank_ends([row for line in lines for row in read_rows(line)])
        if fault := find_fault_in_rows(rows):
            return None, (start, fault)
        # Short rows are filled up with floor.
        self.budget.spend(max(0, len(rows) * max(map(len, rows)) - length))
        board = parse_board("\n".join(rows))
        if fault := find_fault(board):
            return None, (start, fault)
        return board, None

    def _parted(self, start: int, end: int) -> list[tuple[int, int]]:
        """The boards of a block of rows, which may lack the blank lines between them.

        They end between two lines of which each is encoded rows or a row of walls, unless one has
        several players, or all have one. Walls alone belong to the board below; at the end, above.
        A line of stars between boards belongs to none.
        """
        lines = self.text.lines[start:end]
        if _num_players(lines) < 2:
            return [(start, end)]
        is_bare = [set(line) <= _WALLS or is_of_stars(line) for line in lines]
        is_end = [bare or "|" in line for bare, line in zip(is_bare, lines, strict=True)]
        parts, has_contents = [0], False  # since the last part
        for below, ends in enumerate(pairwise(is_end), 1):
            has_contents = has_contents or not is_bare[below - 1]
            if all(ends) and has_contents:
                parts.append(below)
                has_contents = False
        if not has_contents and is_bare[-1]:
            parts.pop()
        boards = [_without_stars(lines, *board) for board in pairwise([*parts, len(lines)])]
        if any(_num_players(lines[first:last]) > 1 for first, last in boards):
            return [(start, end)]
        return [(start + first, start + last) for first, last in boards]

    def _split(self, board: Board | None, below: Place) -> list[_Block]:
        """The place below ``board``, cut at each block of moves that is a game on it.

        Other moves may be words ("dull"): they stay notes.
        """
        blocks = [_Block(below)]
        texts: list[int] = []  # since the last cut
        heading: int | None = None  # the last of them that can be nothing else
        index = below.start
        kinds = self.text.kinds
        while board and index < below.end:
            start, index = index, index + 1
            if kinds[start] not in (*MOVES, Kind.SOLUTION):
                is_heading_here = is_heading(self.text.lines[start])
                if kinds[start] is Kind.TEXT or (kinds[start] is Kind.PAIR and is_heading_here):
                    texts.append(start)
                    heading = start if is_heading_here else heading
                continue
            while index < below.end and kinds[index] in MOVES:
                index += 1
            title_line = self.text.title_line(texts)
            title_line = heading if title_line is None else title_line
            if kinds[start] is Kind.SOLUTION:
                title_line = None
            block = self._read_moves(board, Place(start, index), title_line)
            if block is None:
                texts += range(start, index)
                continue
            above = blocks[-1]
            blocks[-1] = replace(above, place=replace(above.place, end=start))
            blocks.append(replace(block, place=Place(index, below.end)))
            self.text.taken.update([] if title_line is None else [title_line])
            texts, heading = [], None
        return blocks

    def _read_moves(self, board: Board, place: Place, title_line: int | None) -> _Block | None:
        """The block with the game it is, or with its fault; ``None`` if it is mere text."""
        title = "" if title_line is None else self.text.lines[title_line].strip()
        lines = self.text.lines[place.start : place.end]
        if self.text.kinds[place.start] is Kind.SOLUTION:
            title, lines[0] = read_solution(lines[0])
        elif is_solution_title(title):
            title = title.removesuffix(":").rstrip()
        try:
            game, warning = self._play(board, lines, title)
        except lurd.NotPlayedError as error:
            if is_moves_title(title) and not is_solution_title(title):
                self._warn(place.start, str(error))
                return None
            fault = str(error)
        except ValueError as error:
            fault = str(error)
        else:
            told = (place.start, warning) if warning else None
            return _Block(place, replace(game, line=place.start + 1), warning=told)
        return _Block(place, fault=(place.start, fault)) if is_moves_title(title) else None

    def _play(
        self, board: Board, lines: Sequence[str], title: str
    ) -> tuple[Solution | SavedGame, str | None]:
        """The game in these lines, and a warning; raises ``ValueError`` saying why it is none."""
        lines = ["".join(line.split()) for line in lines]
        # Where it ends, there is another board of the same size.
        self.budget.spend(OF_A_GAME + sum(map(measure, lines)) + board.height * board.width // 2)
        letters, position = lurd.read_game("\n".join(lines))
        played = lurd.replay(board, letters)
        if played.reason:
            raise ValueError(played.reason)
        if played.is_solved:
            return Solution(played.lurd, title or "Solution"), played.wrong_case
        if is_solution_title(title):
            num_on_goals = len(played.board.boxes & played.board.goals)
            boxes = f"{num_on_goals} of {len(board.boxes)} boxes on goals"
            raise ValueError(f"not solved: {boxes} after {played.moves} moves")
        # Without a title, such letters are more likely a word.
        if played.wrong_case and not is_moves_title(title):
            raise ValueError(played.wrong_case)
        game = SavedGame(lurd.parse(letters), position, title or "SaveGame")
        return game, played.wrong_case

    def _missing_moves(self, blocks: Sequence[_Block]) -> list[_FaultAt | None]:
        """The headings of solutions that have no moves below; they are no notes either."""
        missing: list[_FaultAt | None] = []
        for block, next_block in zip(blocks, [*blocks[1:], None], strict=True):
            headings = [
                index
                for index in range(block.place.start, block.place.end)
                if self.text.kinds[index] is Kind.TEXT and is_bare_heading(self.text.lines[index])
            ]
            # The last one above moves is for them, unless they have such a title of their own, and
            # the name of the next board is taken.
            game = next_block.game if next_block else None
            has_moves = game is not None and not is_solution_title(game.title)
            for index in headings[: len(headings) - has_moves]:
                if index not in self.text.taken:
                    self.budget.spend(OF_A_PROBLEM)
                    heading = self.text.lines[index].strip()
                    missing.append((index, f'no moves that can be read under "{heading}"'))
                    self.text.taken.add(index)
        return missing

    def _games(self, blocks: Sequence[_Block]) -> Iterator[Solution | SavedGame]:
        for block in blocks:
            if block.game:
                yield replace(block.game, notes=self.text.notes(block.place))


def _without_stars(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """A part without the lines of stars at its ends."""
    while is_of_stars(lines[first]):
        first += 1
    while is_of_stars(lines[last - 1]):
        last -= 1
    return first, last


def _num_players(rows: Sequence[str]) -> int:
    return sum(map("\n".join(rows).count, "@+pP"))


def _read_plainly(key: str) -> Fault:
    sentence = f"{key} (Sokoban+) is passed over: any box may go to any goal"
    return Fault(sentence, "sokoban-plus", key=key)
