"""Compiled: states of one level sampled from games of mixed quality.

Retrograde analysis by moves comes before: it tells which moves are optimal. The player is a set of
one cell. Play goes on for a few moves only after a deadlock, since all states that follow are
deadlocked too.
"""

from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.labels.samples import END, FIRST, Origin, add, random_below
from tokoban.sokoban.search.bitboard.layers import NONE, distance_of, number_of
from tokoban.sokoban.search.bitboard.terrain import ALIVE, FLOOR, GOALS, is_frozen
from tokoban.sokoban.search.level.words import EMPTY, flood, lowest, moved

# Each gets the same share of the states; what its games do not fill goes to the next ones.
_KINDS = 5
_MOST_GAMES = 32  # of one kind, where a level has too few states
_WRONG = (0, 100, 300, 0, 100)  # moves in a thousand that are random instead of best
_KEPT_MOVES = 4  # one in this many states of a game by moves is kept
_KEPT_PUSHES = 2  # and of a game by pushes
_SPARE_MOVES = 32  # a game may take this many moves more than twice the shortest solution
_MOST_PUSHES = 20
_DEADLOCKED_MOVES, _DEADLOCKED_PUSHES = 16, 4  # of play after a deadlock

_BEST, _NEIGHBOUR, _POLICY = int(Origin.BEST), int(Origin.NEIGHBOUR), int(Origin.POLICY)
_RANDOM_PUSHES, _BORDER = int(Origin.RANDOM_PUSHES), int(Origin.BORDER)
_NOWHERE = -1


def most_states(num_wanted: int, num_boxes: int) -> int:
    """The most states that ``sample_states`` adds for a level of so many boxes."""
    # A losing push adds two states. Each has four moves as neighbours, and four pushes a box.
    return (num_wanted + 1) * (1 + 4 + 4 * num_boxes)


@inner
@no_type_check
def sample_states(terrain, layers, boxes, player, wanted, samples):
    """Adds about ``wanted`` states of games from this start, and then all their neighbours."""
    add(samples, boxes, player, _BEST)
    for kind in range(_KINDS):
        limit = samples.progress[FIRST] + wanted * (kind + 1) // _KINDS
        for _ in range(_MOST_GAMES):
            if samples.progress[END] >= limit:
                break
            if kind == _RANDOM_PUSHES:
                _play_pushes(terrain, layers, boxes, player, limit, samples)
            else:
                _play_moves(terrain, layers, boxes, player, kind, limit, samples)
    _add_all_neighbours(terrain, samples)


@inner
@no_type_check
def add_played(terrain, played, level, samples):
    """Adds the played states of this level, and then all their neighbours."""
    first = played.ends[level - 1] if level > 0 else 0
    for state in range(first, played.ends[level]):
        add(samples, played.boxes[state], played.player[state], _POLICY)
    _add_all_neighbours(terrain, samples)


@inner
@no_type_check
def _add_all_neighbours(terrain, samples):
    """Adds the neighbours of all states of the level but solved ones."""
    for state in range(samples.progress[FIRST], samples.progress[END]):
        if samples.boxes[state] != terrain.words[GOALS]:
            _add_neighbours(terrain.words[FLOOR], samples, state)


@inner
@no_type_check
def _play_moves(terrain, layers, boxes, player, kind, limit, samples):
    """Plays one game move by move until it is solved, or long enough, or ``limit`` is reached."""
    floor = terrain.words[FLOOR]
    distance = _distance(layers, boxes, player)
    left = 2 * max(distance, 0) + _SPARE_MOVES
    while left > 0 and samples.progress[END] < limit:
        if distance == NONE:
            left = min(left, _DEADLOCKED_MOVES)
        if random_below(samples, _KEPT_MOVES) == 0:
            if kind != _BORDER:
                add(samples, boxes, player, kind)
            elif distance > 0:
                _add_losing_push(terrain, layers, boxes, player, samples)
        if distance == 0:
            return
        is_best = distance > 0 and random_below(samples, 1000) >= _WRONG[kind]
        direction = _choose_move(
            layers, floor, boxes, player, distance if is_best else NONE, samples
        )
        if direction == _NOWHERE:
            return
        boxes, player = _step(floor, boxes, player, direction)
        distance = _distance(layers, boxes, player)
        left -= 1


@inner
@no_type_check
def _play_pushes(terrain, layers, boxes, player, limit, samples):
    """Makes up to ``_MOST_PUSHES`` pushes, each a random one that the player can walk to."""
    left = 1 + random_below(samples, _MOST_PUSHES)
    while left > 0 and samples.progress[END] < limit:
        box, direction = _choose_push(terrain, layers, boxes, player, False, samples)
        if direction == _NOWHERE:
            return
        boxes, player = boxes ^ box ^ moved(box, direction), box
        if random_below(samples, _KEPT_PUSHES) == 0:
            add(samples, boxes, player, _RANDOM_PUSHES)
        left -= 1
        if _distance(layers, boxes, player) == NONE:
            left = min(left, _DEADLOCKED_PUSHES)


@inner
@no_type_check
def _add_losing_push(terrain, layers, boxes, player, samples):
    """Adds a solvable state and the state after one of its losing pushes, if there is any."""
    box, direction = _choose_push(terrain, layers, boxes, player, True, samples)
    if direction != _NOWHERE:
        add(samples, boxes, player, _BORDER)
        add(samples, boxes ^ box ^ moved(box, direction), box, _BORDER)


@inner
@no_type_check
def _choose_move(layers, floor, boxes, player, distance, samples):
    """A move to a state one nearer than ``distance``; if that is NONE, any legal one."""
    chosen, num_choices = _NOWHERE, 0
    for direction in range(4):
        after, ahead = _step(floor, boxes, player, direction)
        if ahead == player:
            continue
        if distance == NONE or _distance(layers, after, ahead) == distance - 1:
            num_choices += 1
            if random_below(samples, num_choices) == 0:
                chosen = direction
    return chosen


@inner
@no_type_check
def _choose_push(terrain, layers, boxes, player, must_lose, samples):
    """The box and the direction of a push that can be walked to, EMPTY and _NOWHERE if none is.

    If it ``must_lose``, a losing push; preferably one after which no dead square and no frozen box
    shows the deadlock, for those are easy to learn.
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
            if must_lose:
                target = moved(box, direction)
                after = boxes ^ box ^ target
                if _distance(layers, after, box) != NONE:
                    continue
                is_dead = target & terrain.words[ALIVE + direction] == EMPTY
                if not (is_dead or is_frozen(terrain, after, target)):
                    if is_obvious:
                        is_obvious, num_choices = False, 0
                elif not is_obvious:
                    continue
            num_choices += 1
            if random_below(samples, num_choices) == 0:
                chosen, chosen_direction = box, direction
    return chosen, chosen_direction


@inner
@no_type_check
def _add_neighbours(floor, samples, state):
    """Adds the states after one move, and after each push that the player can walk to."""
    boxes, player = samples.boxes[state], samples.player[state]
    for direction in range(4):
        after, ahead = _step(floor, boxes, player, direction)
        if ahead != player:
            add(samples, after, ahead, _NEIGHBOUR)
    free = floor & ~boxes
    area = flood(player, free)
    for direction in range(4):
        rest = _pushable(boxes, area, free, direction)
        while rest != EMPTY:
            box = lowest(rest)
            rest ^= box
            add(samples, boxes ^ box ^ moved(box, direction), box, _NEIGHBOUR)


@inner
@no_type_check
def _pushable(boxes, area, free, direction):
    """The boxes that the player can get behind, with free floor ahead."""
    return boxes & moved(area, direction) & moved(free, direction ^ 2)


@inner
@no_type_check
def _step(floor, boxes, player, direction):
    """Boxes and player after one move; unchanged by a bump."""
    ahead = moved(player, direction) & floor
    if ahead & boxes != EMPTY:
        beyond = moved(ahead, direction) & floor & ~boxes
        if beyond == EMPTY:
            return boxes, player
        return boxes ^ ahead ^ beyond, ahead
    return boxes, ahead if ahead != EMPTY else player


@inner
@no_type_check
def _distance(layers, boxes, player):
    """The exact number of moves that remain, NONE if the state is deadlocked."""
    return distance_of(layers.backwards, number_of(layers, boxes), player)
