"""The tokens of a transition, their order, and the prediction targets.

A column is one number of a transition: a dimension of the state or the action, the reward, the
return-to-go, whether the episode ended here; then the dimensions of what stays the same in an
episode (the walls of a level). A slot is a place among the tokens of a transition.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

# plan: states, actions, reward; the return-to-go and the end are predicted at the reward.
# return: the return-to-go before states and actions, which are then those that bring it about.
# goal: states and actions, after a state to come.
LayoutKind = Literal["plan", "return", "goal"]


class Target(NamedTuple):
    """The token of ``column`` is predicted at ``slot``, that of the next transition if so said."""

    slot: int
    column: int
    is_next: bool = False


@dataclass(frozen=True)
class Layout:
    """The tokens of a transition; ``prefix`` stands once before all transitions.

    The Trajectory Transformer hides each return-to-go from all later tokens, since those of the
    past are not known while acting. So here it is predicted and never read.
    """

    kind: LayoutKind
    num_states: int
    num_actions: int
    num_contexts: int = 0

    @property
    def states(self) -> tuple[int, ...]:
        return tuple(range(self.num_states))

    @property
    def actions(self) -> tuple[int, ...]:
        return tuple(range(self.num_states, self.num_states + self.num_actions))

    @property
    def reward(self) -> int:
        return self.num_states + self.num_actions

    @property
    def to_go(self) -> int:
        return self.reward + 1

    @property
    def end(self) -> int:
        return self.reward + 2

    @property
    def contexts(self) -> tuple[int, ...]:
        return tuple(range(self.end + 1, self.num_columns))

    @property
    def num_columns(self) -> int:
        return self.num_states + self.num_actions + 3 + self.num_contexts

    @property
    def prefix(self) -> tuple[int, ...]:
        """The columns that stand before all transitions; a goal's are those of a state."""
        return self.contexts + (self.states if self.kind == "goal" else ())

    @property
    def slots(self) -> tuple[int, ...]:
        """The columns that are read, in their order."""
        acted = self.states + self.actions
        if self.kind == "plan":
            return (*acted, self.reward)
        return (self.to_go, *acted) if self.kind == "return" else acted

    @property
    def targets(self) -> tuple[Target, ...]:
        """The predictions: each slot at the one before it, and the end and return of a plan."""
        slots = self.slots
        found = [Target(slot, column) for slot, column in enumerate(slots[1:])]
        last = len(slots) - 1
        if self.kind == "plan":
            found += [Target(last, self.to_go), Target(last, self.end)]
        return (*found, Target(last, slots[0], is_next=True))
