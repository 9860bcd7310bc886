"""How hard a puzzle is to be, in quantities that are measured."""

from dataclasses import dataclass, fields

from tokoban.sokoban.figures import Figures
from tokoban.sokoban.puzzles.choices import Choices


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Bounds on what is measured along a solution with the fewest pushes; None is no bound."""

    min_pushes: int | None = None
    max_pushes: int | None = None
    min_branching: float | None = None  # mean legal pushes where a push is made
    min_lost_share: float | None = None  # of these pushes, after which there is no solution

    def __post_init__(self) -> None:
        for name in ("min_pushes", "max_pushes"):
            if (pushes := getattr(self, name)) is not None and pushes < 1:
                raise ValueError(f"{_words(name)} is {pushes}; expected at least 1")
        if self.min_pushes and self.max_pushes and self.min_pushes > self.max_pushes:
            bounds = f"{self.min_pushes} and max pushes {self.max_pushes}"
            raise ValueError(f"min pushes is {bounds}; expected the first no greater")
        if self.min_branching is not None and not self.min_branching >= 0:
            raise ValueError(f"min branching is {self.min_branching}; expected 0 or more")
        # The push of the solution does not lose.
        if self.min_lost_share is not None and not 0 <= self.min_lost_share < 1:
            raise ValueError(f"min lost share is {self.min_lost_share}; expected 0 to less than 1")

    def allows_pushes(self, pushes: int) -> bool:
        """Whether so many pushes are within the bounds."""
        return (self.min_pushes or 0) <= pushes <= (self.max_pushes or pushes)

    def allows(self, figures: Figures, choices: Choices) -> bool:
        """Whether a solution and what there was to choose from along it are within the bounds."""
        return (
            self.allows_pushes(figures.pushes)
            and choices.branching >= (self.min_branching or 0.0)
            and choices.lost_share >= (self.min_lost_share or 0.0)
        )

    def __str__(self) -> str:
        """The bounds in words, such as ``min pushes 20, min lost share 0.4``."""
        bounds = {field.name: getattr(self, field.name) for field in fields(self)}
        told = [f"{_words(name)} {bound:g}" for name, bound in bounds.items() if bound is not None]
        return ", ".join(told)


# Half the levels of Boxoban's sets, unfiltered / medium / hard, need 12 / 16 / 17 pushes or more,
# and in half of them 31 / 45 / 47 % or more of the pushes along a solution lose.
DIFFICULTIES = {
    "easy": Wanted(max_pushes=12),
    "medium": Wanted(min_pushes=12, min_lost_share=0.3),
    "hard": Wanted(min_pushes=18, min_lost_share=0.45),
    "expert": Wanted(min_pushes=28, min_lost_share=0.5),
}


def _words(name: str) -> str:
    return name.replace("_", " ")
