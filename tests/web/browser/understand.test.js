import { Chart } from "/static/js/understand/chart.js";
import { certificateSteps, staticSteps } from "/static/js/understand/certificate_steps.js";
import { upToLastPush } from "/static/js/understand/lost.js";
import { boardOf, complaints } from "/static/js/editor/legality.js";
import { Draft, emptyRoom } from "/static/js/editor/draft.js";
import { Game } from "/static/js/game/game.js";
import { Board } from "/static/js/rules/board.js";
import { equal } from "./expect.js";

// The example of docs/certificates.md.
const FROZEN = {
  board: ["#######", "#. $$.#", "#@    #", "#######"],
  kind: "frozen",
  boxes: [[1, 3], [1, 4]],
  without: ["urrr", "urrr"],
  traps: [],
  frozen: [{ boxes: [[1, 3], [1, 4]], blocked_by: [[[0, 3], [1, 4]], [[0, 4], [1, 3]]] }],
  positions: [],
};
const squares = (marks, kind) =>
  marks.filter((mark) => mark.kind === kind).map(({ square }) => square);

export function a_frozen_group_is_followed_box_by_box() {
  const steps = certificateSteps(FROZEN);
  equal(steps.length, 5); // all, each of two boxes, those off goals, that both are needed
  for (const { marks } of steps) equal(squares(marks, "guilty"), [10, 11]);
  equal(squares(steps[1].marks, "focus"), [10]);
  equal(squares(steps[1].marks, "text"), [3, 11]); // what blocks it: the wall above, the other box
  equal(squares(steps[3].marks, "focus"), [10, 11]);
}

export function a_dead_box_is_shown_with_all_squares_that_it_reaches() {
  const steps = certificateSteps({
    board: ["######", "#$  .#", "#@ $.#", "######"],
    kind: "dead",
    boxes: [[1, 1]],
    without: [""],
    traps: [[[[1, 1], [2, 1]]]],
    frozen: [],
    positions: [],
  });
  equal(steps.length, 3);
  equal(squares(steps[1].marks, "reachable"), [7]);
  equal(squares(steps[2].marks, "text"), []); // no goal among them
}

export function a_search_shows_its_positions_with_the_boxes_of_the_proof_alone() {
  const board = ["######", "#$ $.#", "#@ $.#", "#  . #", "######"];
  const steps = certificateSteps({
    board,
    kind: "search",
    boxes: [[1, 1], [1, 3]],
    without: [null, null],
    traps: [],
    frozen: [],
    positions: [[[[1, 1], [1, 3]], [2, 1]]],
  });
  equal(steps.length, 3);
  equal(steps[1].boards.map((one) => one.toRows()), [["######", "#$ $.#", "#@  .#", "#  . #", "######"]]);
  equal(staticSteps({ boxes: [7], reason: "dead-square" }).length, 1);
}

export function a_click_on_the_line_goes_to_the_nearest_push() {
  const asked = [];
  const chart = new Chart((at) => asked.push(at));
  chart.element.style.width = "400px";
  document.body.append(chart.element);
  const game = new Game(Board.fromRows(["#######", "#@ $ .#", "#######"]));
  game.play("rRR");
  chart.show(game, { points: new Map(), proofs: new Map() }, null);
  const box = chart.element.getBoundingClientRect();
  const click = (share) =>
    chart.element.dispatchEvent(new MouseEvent("click", { clientX: box.left + share * box.width }));
  for (const share of [0.05, 0.5, 0.97]) click(share);
  equal(asked, [0, 2, 3]);
  chart.element.remove();
}

export function a_walk_after_the_last_push_is_left_out() {
  equal(upToLastPush("rRdlu"), "rR");
  equal(upToLastPush("rdl"), "");
}

export function a_stroke_is_taken_back_whole_and_there_is_one_player() {
  const draft = new Draft(emptyRoom(4, 5));
  draft.beginStroke(6, "box");
  draft.paint(7, "box");
  draft.endStroke();
  equal(draft.rows, ["#####", "#$$ #", "#   #", "#####"]);
  draft.undo();
  equal(draft.rows, emptyRoom(4, 5));
  draft.redo();
  for (const square of [11, 13]) {
    draft.beginStroke(square, "player");
    draft.endStroke();
  }
  equal(draft.rows, ["#####", "#$$ #", "#  @#", "#####"]);
  draft.beginStroke(6, "goal");
  draft.endStroke();
  draft.beginStroke(6, "box"); // a stroke that begins on a box takes boxes away
  draft.paint(7, "box");
  draft.endStroke();
  equal(draft.rows, ["#####", "#.  #", "#  @#", "#####"]);
}

export function what_is_wrong_with_a_drawing_is_found() {
  const keys = (...rows) => complaints(boardOf(rows)).map(({ key }) => key.slice(5));
  equal(keys("#####", "#@$.#", "#####"), []);
  equal(keys("#####", "# $.#", "#####"), ["no-player"]);
  equal(keys("###", "###", "###"), ["no-player", "no-boxes"]);
  equal(keys("#####", "#@$ #", "#####"), ["unequal"]);
  equal(keys("#####", "#@$. ", "#####"), ["open"]);
  equal(keys("#######", "#@$.#$#", "#   #.#", "#######"), ["outside"]);
  equal(keys("#####", "#@* #", "#####"), ["solved"]);
  equal(keys("#####", "#@ $#", "# . #", "#####"), ["dead-square"]);
}
