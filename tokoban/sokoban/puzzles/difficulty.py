"""The difficulty asked of puzzles: bounds on their measures."""

from dataclasses import dataclass, fields

from tokoban.sokoban.figures import Figures
from tokoban.sokoban.puzzles.state_space import Choices


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """Bounds on figures of a solution with the fewest pushes; None is no bound."""

    min_pushes: int | None = None
    max_pushes: int | None = None
    min_branching: float | None = None  # mean legal pushes where a push is made
    min_losing_share: float | None = None  # of these pushes

    def __post_init__(self) -> None:
        for name in ("min_pushes", "max_pushes"):
            if (pushes := getattr(self, name)) is not None and pushes < 1:
                raise ValueError(f"{_words(name)} is {pushes}; expected at least 1")
        if self.min_pushes and self.max_pushes and self.min_pushes > self.max_pushes:
            most = f"at most max pushes, {self.max_pushes}"
            raise ValueError(f"min pushes is {self.min_pushes}; expected {most}")
        if self.min_branching is not None and not self.min_branching >= 0:
            raise ValueError(f"min branching is {self.min_branching}; expected 0 or more")
        # A push of the solution never loses.
        if self.min_losing_share is not None and not 0 <= self.min_losing_share < 1:
            raise ValueError(
                f"min losing share is {self.min_losing_share}; expected 0 to less than 1"
            )

    def allows_pushes(self, pushes: int) -> bool:
        """Whether so many pushes are within the bounds."""
        return (self.min_pushes or 0) <= pushes <= (self.max_pushes or pushes)

    def allows(self, figures: Figures, choices: Choices) -> bool:
        """Whether a solution and the choices along it are within the bounds."""
        return (
            self.allows_pushes(figures.pushes)
            and choices.branching >= (self.min_branching or 0.0)
            and choices.losing_share >= (self.min_losing_share or 0.0)
        )

    def __str__(self) -> str:
        """The bounds in words, such as ``min pushes 20, min losing share 0.4``."""
        bounds = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = [f"{_words(name)} {bound:,}" for name, bound in bounds.items() if bound is not None]
        return ", ".join(parts)


# Half the levels of Boxoban's sets, unfiltered / medium / hard, need 12 / 16 / 17 pushes or more,
# and in half of them 31 / 45 / 47 % or more of the pushes along a solution lose.
DIFFICULTIES = {
    "easy": Difficulty(max_pushes=12),
    "medium": Difficulty(min_pushes=12, min_losing_share=0.3),
    "hard": Difficulty(min_pushes=18, min_losing_share=0.45),
    "expert": Difficulty(min_pushes=28, min_losing_share=0.5),
}


def _words(name: str) -> str:
    return name.replace("_", " ")
