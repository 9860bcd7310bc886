"""What to do on a board in mid-game: the policy's word, and A*'s where the policy has none."""

from tokoban.cli.answers import by_astar
from tokoban.cli.output import counted
from tokoban.cli.policy import Policy, describe
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd

_WIDTH = 32
# A player waits for it; A* solves most boards of a size to be played in far less.
_TIME_LIMIT_S = 2.0


class Adviser:
    """Hints and warnings about the board as it is now, whatever the moves before it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def warn(self, board: Board) -> str | None:
        """A sentence if the policy thinks that ``board`` is lost, and ``None`` if it does not or
        if the board does not fit it.
        """
        try:
            lost = self._policy.judge(board).predicted_unsolvable
        except ValueError:
            return None
        if lost <= 0.5:
            return None
        return f"The policy thinks that this is lost ({lost:.0%} sure)."

    def hint(self, board: Board) -> str:
        """The next move by the policy's best plan, or else by A*; and what the policy thinks."""
        answer = self._policy.answers(
            [board], by="beam", width=_WIDTH, max_moves=self._policy.longest_plan
        )[0]
        thought = describe(answer.judgement) if answer.judgement else answer.remark
        if answer.lurd:
            plan = f"its plan has {counted(len(answer.lurd), 'move')}"
            return f"Hint: {_first(answer.lurd)} ({thought}; {plan})"
        second = by_astar(board, time_limit_s=_TIME_LIMIT_S)
        if second.lurd:
            plan = f"A*: {counted(len(second.lurd), 'move')} left"
            return f"Hint: {_first(second.lurd)} ({plan}, {second.remark}; {thought})"
        if second.status == "unsolvable":
            return f"Lost: A* proves that no moves solve this ({thought})"
        return f"No hint ({second.remark}; {thought})"


def _first(moves: str) -> str:
    return Direction(lurd.LETTERS.index(moves[0].lower())).name.lower()
