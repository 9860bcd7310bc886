"""Boards, levels and answers as JSON, and the limits on what a client may send."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import (
    Level,
    LevelFile,
    Problem,
    SavedGame,
    Solution,
    format_board,
    lurd,
    parse_board,
)
from tokoban.sokoban.formats import write_levels as text_of_levels
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.formats.legality import find_fault, find_fault_in_rows
from tokoban.sokoban.formats.levels import MAX_BYTES, parse_content
from tokoban.sokoban.formats.text_lines import read_pair
from tokoban.sokoban.search.answer import Answer
from tokoban.web.job import Context

# The largest level file that is read, with its line ends escaped by JSON.
MAX_BODY_BYTES = 2 * MAX_BYTES
MAX_TIME_S = 600.0
_SEARCH_MEMORY_MB = 1000.0  # several searches may run at once
_MAX_BOARD_TEXT = 2**19  # characters; a board of the largest size has half of this
MAX_MOVES_TEXT = 2**20  # characters
_MAX_HEADING = 2**20  # characters of a title or an author, which may be any line of a file
_MAX_LEVELS = 10_000
_MAX_NAME = 200  # characters of a file's name in messages; the rest is cut
_MAX_TITLE = 80  # characters of a comment that names a file; others are sentences

Number = int | float


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object in the body of a request; raises ``ValueError``."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("This is not JSON.") from None
    if not isinstance(content, dict):
        raise ValueError("Expected an object.")
    return content


def board_of(arguments: Mapping[str, Any]) -> Board:
    """The position of ``board`` after ``moves``, if there are any; raises ``ValueError``."""
    _, played = played_game_of(arguments)
    return played.board


def played_game_of(arguments: Mapping[str, Any]) -> tuple[Board, lurd.Replay]:
    """``board``, and ``moves`` played from it; raises ``ValueError`` if the rules forbid one."""
    start, moves = game_of(arguments)
    played = lurd.replay(start, moves)
    if played.reason is not None:
        raise ValueError(f"moves: {played.reason}")
    return start, played


def game_of(arguments: Mapping[str, Any]) -> tuple[Board, str]:
    """The board, and the moves (LURD) that were made from it; raises ``ValueError``."""
    text = text_of(arguments, "board", most=_MAX_BOARD_TEXT)
    if (fault := find_fault_in_rows(text.split("\n"))) is not None:
        raise ValueError(f"board: {fault}")
    board = parse_board(text)
    return board, text_of(arguments, "moves", usual="", most=MAX_MOVES_TEXT)


def text_of(arguments: Mapping[str, Any], name: str, *, usual: str | None = None, most: int) -> str:
    """A text of at most ``most`` characters; ``usual`` where there is none; else ``ValueError``."""
    text = arguments.get(name, usual)
    if not isinstance(text, str):
        raise ValueError(f"{name}: expected a text")
    if len(text) > most:
        complaint = f"{name}: {len(text):,} characters; expected at most {most:,}"
        raise ValueError(Fault(complaint, "long-text", count=len(text), most=most))
    return text


def number_of(
    arguments: Mapping[str, Any], name: str, *, usual: Number, least: Number, most: Number
) -> float:
    """A number of a range; ``usual`` where there is none or null; raises ``ValueError``."""
    number = arguments.get(name)
    number = usual if number is None else number
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not is_number or not least <= number <= most:
        raise ValueError(f"{name}: expected a number from {least:g} to {most:g}")
    return float(number)


def whole_of(arguments: Mapping[str, Any], name: str, *, usual: int, least: int, most: int) -> int:
    """A whole number of a range; ``usual`` where there is none or null; raises ``ValueError``."""
    number = number_of(arguments, name, usual=usual, least=least, most=most)
    if not number.is_integer():
        raise ValueError(f"{name}: expected a whole number")
    return int(number)


def choice_of(
    arguments: Mapping[str, Any], name: str, choices: Sequence[str], *, usual: str | None
) -> Any:
    """One of ``choices``; ``usual`` where there is none or null; raises ``ValueError``."""
    choice = arguments.get(name)
    if choice is None:
        return usual
    if choice not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}")
    return choice


def time_limit_of(arguments: Mapping[str, Any], *, usual: Number) -> float:
    """The time limit in seconds; raises ``ValueError``."""
    return number_of(arguments, "time_limit_s", usual=usual, least=0.01, most=MAX_TIME_S)


def limits_of(arguments: Mapping[str, Any], context: Context, *, usual_s: Number) -> dict[str, Any]:
    """The limits of a search as keywords; raises ``ValueError`` for a wrong time limit."""
    return {
        "time_limit_s": time_limit_of(arguments, usual=usual_s),
        "memory_limit_mb": _SEARCH_MEMORY_MB,
        "stop": context.stop,
    }


def squares(found: Iterable[Square]) -> list[list[int]]:
    """Squares as ``[row, column]``, in order."""
    return [[row, column] for row, column in sorted(found)]


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """The answer of a search; what is not known is null."""
    return {
        "status": answer.status,
        **solution_to_json(answer.solution),
        "optimum": answer.optimum,
        "at_least_moves": answer.at_least_moves,
        "at_least_pushes": answer.at_least_pushes,
        "num_expansions": answer.num_expansions,
        "elapsed_s": round(answer.elapsed_s, 6),
        "reason": answer.reason and coded_to_json(answer.reason),
    }


def solution_to_json(solution: Solution | None) -> dict[str, Any]:
    """The moves (LURD) of a solution and their numbers; nulls without one."""
    return {
        "moves": solution and solution.lurd,
        "num_moves": solution and solution.num_moves,
        "num_pushes": solution and solution.num_pushes,
    }


def level_to_json(level: Level) -> dict[str, Any]:
    """A level with its solutions and saved games."""
    return {
        "title": level.title,
        "author": level.author,
        "notes": list(level.notes),
        "rows": format_board(level.board).split("\n"),
        "solutions": [solution.lurd for solution in level.solutions],
        "saved": [
            {
                "moves": lurd.format(level.board, game.directions),
                "at": game.position,
                "title": game.title,
            }
            for game in level.saved_games
        ],
    }


def read_levels(content: Mapping[str, Any]) -> dict[str, Any]:
    """The levels in ``text`` or, as ``base64``, in the bytes of a file; of any format.

    Raises ``ValueError`` for a wrong request; what is wrong with levels is part of the answer.
    """
    name = text_of(content, "name", usual="", most=_MAX_HEADING)[:_MAX_NAME]
    if "base64" not in content:
        text = text_of(content, "text", most=MAX_BODY_BYTES)
        return file_to_json(parse_content(text, source=name))
    encoded = text_of(content, "base64", most=MAX_BODY_BYTES)
    try:
        read = base64.b64decode(encoded, validate=True)
    except ValueError:  # of ``binascii``, or for letters beyond ASCII
        raise ValueError("base64: expected valid base64") from None
    return file_to_json(parse_content(read, source=name))


def name_and_credit(file: LevelFile) -> tuple[str, str]:
    """The name of the collection in a file, or "", and the first paragraph of its other notes.

    The name is a title, or a short comment alone at the top. Later paragraphs are often long.
    """
    name = ""
    paragraphs: list[list[str]] = [[]]
    for note in file.notes:
        key, value = read_pair(note)
        line = note.lstrip(";").strip()
        if key in ("title", "collection"):
            name = name or value
        elif note.startswith("::") or not any(map(str.isalnum, line)):
            paragraphs.append([])
        else:
            paragraphs[-1].append(line)
    paragraphs = [paragraph for paragraph in paragraphs if paragraph]
    is_comment = paragraphs and file.notes[0].startswith(";") and len(paragraphs[0]) == 1
    if not name and is_comment and len(paragraphs[0][0]) <= _MAX_TITLE:
        name = paragraphs.pop(0)[0]
    return name, "\n".join(paragraphs[0]) if paragraphs else ""


def file_to_json(file: LevelFile) -> dict[str, Any]:
    """The levels of a file, its ``name_and_credit``, and why its other boards are no levels.

    A problem whose ``level`` is 0 is one of the file. ``code`` and ``values`` are those of a
    ``Fault``. ``wrong_solutions`` are the lines of solutions that do not solve their level.
    ``warnings`` say what is played differently from what the file means.
    """
    invalid = file.invalid
    name, credit = name_and_credit(file)
    return {
        "name": name,
        "credit": credit,
        "levels": [level_to_json(level) for level in file.levels],
        "problems": [
            _problem_to_json(problem)
            for problem in file.problems
            if not problem.level or problem is invalid.get(problem.level)
        ],
        "wrong_solutions": [
            one.line for one in file.problems if one.level and one.level not in invalid
        ],
        "warnings": [
            _problem_to_json(warning)
            for warning in file.warnings
            if isinstance(warning.message, Fault)
        ],
    }


def _problem_to_json(problem: Problem) -> dict[str, Any]:
    return {"line": problem.line, "level": problem.level, **coded_to_json(problem.message)}


def coded_to_json(said: str) -> dict[str, Any]:
    """A sentence, with its code and values if it has them."""
    coded = {"code": said.code, "values": said.values} if isinstance(said, Fault) else {}
    return {"message": said, **coded}


def write_levels(content: Mapping[str, Any]) -> dict[str, Any]:
    """The ``levels`` as the text of a SOK file, and ``left_out``: those that it cannot hold.

    The file begins with the ``name`` and ``credit`` of their collection, as ``name_and_credit``
    reads them.
    Each of these has its title and the reason, such as that a drawing has more boxes than goals, or
    that a record of the browser is damaged. Raises ``ValueError``.
    """
    levels = content.get("levels")
    if not isinstance(levels, list) or not len(levels) <= _MAX_LEVELS:
        raise ValueError(f"levels: expected a list of at most {_MAX_LEVELS:,}")
    name = text_of(content, "name", usual="", most=_MAX_HEADING)
    credit = text_of(content, "credit", usual="", most=_MAX_HEADING)
    notes = [f"Collection: {name}"] if name else []
    notes += [f"; {line}" for line in credit.splitlines()]
    written: list[Level] = []
    left_out: list[dict[str, Any]] = []
    for found in levels:
        try:
            level = _level_from_json(found)
            if fault := find_fault(level.board):
                raise ValueError(fault)
            text_of_levels([level])
        except ValueError as error:
            title = str(found.get("title", ""))[:_MAX_TITLE] if isinstance(found, dict) else ""
            left_out.append({"title": title, **coded_to_json(error.args[0])})
        else:
            written.append(level)
    text = text_of_levels(written, notes=notes) if written else ""
    return {"text": text, "left_out": left_out}


def _level_from_json(found: object) -> Level:
    """A level that a client sent; raises ``ValueError`` if it is not one."""
    if not isinstance(found, dict):
        raise ValueError("levels: expected objects")
    board, _ = game_of({"board": "\n".join(_texts(found, "rows"))})
    saved = found.get("saved", [])
    if not isinstance(saved, list) or not all(isinstance(game, dict) for game in saved):
        raise ValueError("saved: expected a list of objects")
    return Level(
        board,
        title=text_of(found, "title", usual="", most=_MAX_HEADING),
        author=text_of(found, "author", usual="", most=_MAX_HEADING),
        notes=tuple(_texts(found, "notes", usual=[])),
        solutions=tuple(
            Solution(lurd.replay(board, moves).lurd)
            for moves in _texts(found, "solutions", usual=[])
        ),
        saved_games=tuple(_saved_from_json(game) for game in saved),
    )


def _saved_from_json(game: Mapping[str, Any]) -> SavedGame:
    directions = lurd.parse(text_of(game, "moves", most=MAX_MOVES_TEXT))
    at = whole_of(game, "at", usual=len(directions), least=0, most=len(directions))
    return SavedGame(directions, at, text_of(game, "title", usual="SaveGame", most=_MAX_HEADING))


def _texts(found: Mapping[str, Any], name: str, usual: list[str] | None = None) -> list[str]:
    texts = found.get(name, usual)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name}: expected a list of texts")
    return texts
