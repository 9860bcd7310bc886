import numpy as np

from tests.sokoban.brute_force import Shape, pushes_of, random_boards
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import Guide, UniformGuide


def test_the_uniform_guide_gives_every_push_of_the_plain_rules_the_same_probability() -> None:
    for board in random_boards(Shape(3, 4, 3, is_closed=True), 40, seed=5):
        squares = Squares(board)
        guide: Guide = UniformGuide(squares.neighbours)
        rows = [squares.is_among(marked)[None] for marked in (board.boxes, board.area())]
        guidance = guide.evaluate(*rows)
        pushes = pushes_of(board)
        found = {
            (squares.squares[square], squares.squares[squares.neighbours[square, direction]])
            for _, square, direction in np.argwhere(guidance.log_policy > -np.inf)
        }
        assert found == {(box, box.neighbour(direction)) for box, direction in pushes}
        if pushes:
            probabilities = np.exp(guidance.log_policy[np.isfinite(guidance.log_policy)])
            np.testing.assert_allclose(probabilities, 1 / len(pushes), rtol=1e-6)
