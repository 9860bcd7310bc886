"""Compiled: states of one level drawn from games of mixed quality.

The level's moves have been swept: a game can be played exactly as well, or as badly, as wanted.
Players are sets of one cell. A lost state is played on for a little while only: what follows from
it is lost too.
"""

from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.labels.drawn import END, FIRST, Origin, add, below
from tokoban.sokoban.search.bitboard.layers import NONE, distance_of, number_of
from tokoban.sokoban.search.bitboard.terrain import ALIVE, FLOOR, GOALS, is_frozen
from tokoban.sokoban.search.bitboard.words import EMPTY, flood, lowest, moved

# Each has the same share of the states; what its games do not fill is left to the next ones.
_KINDS = 5
_MOST_GAMES = 32  # of one kind, where a level has too few states
_WRONG = (0, 100, 300, 0, 100)  # moves in a thousand that are not chosen for being best
_KEPT_MOVES = 4  # one state in so many of a game by moves is kept
_KEPT_PUSHES = 2  # and of a game by pushes
_SPARE_MOVES = 32  # a game goes on for so many more than twice the moves of the shortest solution
_MOST_PUSHES = 20
_LOST_MOVES, _LOST_PUSHES = 16, 4  # played on in a lost state

_BEST, _NEIGHBOUR = int(Origin.BEST), int(Origin.NEIGHBOUR)
_RANDOM_PUSHES, _BORDER = int(Origin.RANDOM_PUSHES), int(Origin.BORDER)
_NOWHERE = -1


def most_states(num_wanted: int, num_boxes: int) -> int:
    """How many states ``draw`` adds at most for a level of so many boxes."""
    # A slip adds two states at once. Each has four moves as neighbours, and four pushes a box.
    return (num_wanted + 1) * (1 + 4 + 4 * num_boxes)


@inner
@no_type_check
def draw(terrain, layers, boxes, player, wanted, drawn):
    """Adds about ``wanted`` states of games from this start, and then all their neighbours."""
    add(drawn, boxes, player, _BEST)
    for kind in range(_KINDS):
        limit = drawn.progress[FIRST] + wanted * (kind + 1) // _KINDS
        for _ in range(_MOST_GAMES):
            if drawn.progress[END] >= limit:
                break
            if kind == _RANDOM_PUSHES:
                _play_pushes(terrain, layers, boxes, player, limit, drawn)
            else:
                _play_moves(terrain, layers, boxes, player, kind, limit, drawn)
    for state in range(drawn.progress[FIRST], drawn.progress[END]):
        if drawn.boxes[state] != terrain.words[GOALS]:
            _add_neighbours(terrain.words[FLOOR], drawn, state)


@inner
@no_type_check
def _play_moves(terrain, layers, boxes, player, kind, limit, drawn):
    """Plays one game move by move until it is solved, or long enough, or ``limit`` is reached."""
    floor = terrain.words[FLOOR]
    distance = _to_go(layers, boxes, player)
    left = 2 * max(distance, 0) + _SPARE_MOVES
    while left > 0 and drawn.progress[END] < limit:
        if distance == NONE:
            left = min(left, _LOST_MOVES)
        if below(drawn, _KEPT_MOVES) == 0:
            if kind != _BORDER:
                add(drawn, boxes, player, kind)
            elif distance > 0:
                _slip(terrain, layers, boxes, player, drawn)
        if distance == 0:
            return
        is_best = distance > 0 and below(drawn, 1000) >= _WRONG[kind]
        direction = _choose_move(layers, floor, boxes, player, distance if is_best else NONE, drawn)
        if direction == _NOWHERE:
            return
        boxes, player = _step(floor, boxes, player, direction)
        distance = _to_go(layers, boxes, player)
        left -= 1


@inner
@no_type_check
def _play_pushes(terrain, layers, boxes, player, limit, drawn):
    """Makes up to ``_MOST_PUSHES`` pushes, each one of all that can be walked to."""
    left = 1 + below(drawn, _MOST_PUSHES)
    while left > 0 and drawn.progress[END] < limit:
        box, direction = _choose_push(terrain, layers, boxes, player, False, drawn)
        if direction == _NOWHERE:
            return
        boxes, player = boxes ^ box ^ moved(box, direction), box
        if below(drawn, _KEPT_PUSHES) == 0:
            add(drawn, boxes, player, _RANDOM_PUSHES)
        left -= 1
        if _to_go(layers, boxes, player) == NONE:
            left = min(left, _LOST_PUSHES)


@inner
@no_type_check
def _slip(terrain, layers, boxes, player, drawn):
    """Adds a state that is not lost and what some push makes of it that loses, if one does."""
    box, direction = _choose_push(terrain, layers, boxes, player, True, drawn)
    if direction != _NOWHERE:
        add(drawn, boxes, player, _BORDER)
        add(drawn, boxes ^ box ^ moved(box, direction), box, _BORDER)


@inner
@no_type_check
def _choose_move(layers, floor, boxes, player, distance, drawn):
    """A move to a state one nearer than ``distance``; if that is NONE, any that is no bump."""
    chosen, num_choices = _NOWHERE, 0
    for direction in range(4):
        after, ahead = _step(floor, boxes, player, direction)
        if ahead == player:
            continue
        if distance == NONE or _to_go(layers, after, ahead) == distance - 1:
            num_choices += 1
            if below(drawn, num_choices) == 0:
                chosen = direction
    return chosen


@inner
@no_type_check
def _choose_push(terrain, layers, boxes, player, is_slip, drawn):
    """The box and the direction of a push that can be walked to, EMPTY and _NOWHERE if none is.

    If it ``is_slip``, one that loses; better yet one whose loss no dead square and no frozen box
    shows, for those are easily learned.
    """
    chosen, chosen_direction, num_choices = EMPTY, _NOWHERE, 0
    is_obvious = True
    free = terrain.words[FLOOR] & ~boxes
    area = flood(player, free)
    for direction in range(4):
        rest = _pushable(boxes, area, free, direction)
        while rest != EMPTY:
            box = lowest(rest)
            rest ^= box
            if is_slip:
                target = moved(box, direction)
                after = boxes ^ box ^ target
                if _to_go(layers, after, box) != NONE:
                    continue
                is_dead = target & terrain.words[ALIVE + direction] == EMPTY
                if not (is_dead or is_frozen(terrain, after, target)):
                    if is_obvious:
                        is_obvious, num_choices = False, 0
                elif not is_obvious:
                    continue
            num_choices += 1
            if below(drawn, num_choices) == 0:
                chosen, chosen_direction = box, direction
    return chosen, chosen_direction


@inner
@no_type_check
def _add_neighbours(floor, drawn, state):
    """Adds what one move makes of a state, and each push that can be walked to."""
    boxes, player = drawn.boxes[state], drawn.player[state]
    for direction in range(4):
        after, ahead = _step(floor, boxes, player, direction)
        if ahead != player:
            add(drawn, after, ahead, _NEIGHBOUR)
    free = floor & ~boxes
    area = flood(player, free)
    for direction in range(4):
        rest = _pushable(boxes, area, free, direction)
        while rest != EMPTY:
            box = lowest(rest)
            rest ^= box
            add(drawn, boxes ^ box ^ moved(box, direction), box, _NEIGHBOUR)


@inner
@no_type_check
def _pushable(boxes, area, free, direction):
    """The boxes behind which the player can come, and before which there is room."""
    return boxes & moved(area, direction) & moved(free, direction ^ 2)


@inner
@no_type_check
def _step(floor, boxes, player, direction):
    """Boxes and player after one move; the same ones after a bump."""
    ahead = moved(player, direction) & floor
    if ahead & boxes != EMPTY:
        beyond = moved(ahead, direction) & floor & ~boxes
        if beyond == EMPTY:
            return boxes, player
        return boxes ^ ahead ^ beyond, ahead
    return boxes, ahead if ahead != EMPTY else player


@inner
@no_type_check
def _to_go(layers, boxes, player):
    """The exact number of moves, NONE if the state is lost."""
    return distance_of(layers.backwards, number_of(layers, boxes), player)
