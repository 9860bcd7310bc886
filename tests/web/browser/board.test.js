import { BoardView } from "/static/js/board/board_view.js";
import { KeyboardPick } from "/static/js/board/keyboard_pick.js";
import { drawMarks } from "/static/js/board/marks.js";
import { Camera } from "/static/js/board/camera.js";
import { numbersOf, outlineOf } from "/static/js/board/outline.js";
import { DrawingCanvas } from "/static/js/editor/canvas.js";
import { Draft, emptyRoom } from "/static/js/editor/draft.js";
import { Session } from "/static/js/game/session.js";
import { Store } from "/static/js/game/store.js";
import { Board, advance } from "/static/js/rules/board.js";
import { Keys } from "/static/js/shell/keys.js";
import { Settings } from "/static/js/shell/settings.js";
import { equal } from "./expect.js";

// A wall of 3x3 in the middle, and walls all round that no floor touches.
const ROWS = [
  "###########",
  "###########",
  "##       ##",
  "## ### $ ##",
  "## ### . ##",
  "## ###   ##",
  "##@      ##",
  "###########",
  "###########",
];

export function walls_far_from_floor_are_left_out_but_no_hole_is_made() {
  const board = Board.fromRows(ROWS);
  const { squares, range } = outlineOf(board);
  equal(range, { top: 1, bottom: 8, left: 1, right: 10 });
  const drawn = Array.from({ length: 9 }, (_, row) =>
    [...squares.slice(row * 11, row * 11 + 11)].join(""),
  );
  equal(drawn, [
    "00000000000",
    "02222222220",
    "02111111120",
    "02122211120",
    "02122211120",
    "02122211120",
    "02111111120",
    "02222222220",
    "00000000000",
  ]);
  equal([...outlineOf(board, true).squares].includes(0), false);
}

export function rows_and_columns_are_counted_from_the_first_that_is_drawn() {
  const board = Board.fromRows(ROWS);
  equal(numbersOf(board, 1 * 11 + 1), { row: 1, column: 1 });
  equal(numbersOf(board, board.player), { row: 6, column: 2 });
}

function newView(options) {
  const room = document.createElement("div");
  Object.assign(room.style, { position: "fixed", inset: "0", width: "300px", height: "200px" });
  document.body.append(room);
  return new BoardView(room, options);
}

export function a_point_of_a_square_is_in_that_square() {
  for (const options of [{}, { isStatic: true }, { isWhole: true }]) {
    const view = newView(options);
    view.show(Board.fromRows(ROWS));
    for (const square of [2 * 11 + 2, 4 * 11 + 7, 7 * 11 + 9]) {
      const { x, y, size } = view.rectOf(square);
      equal(view.squareAt(x + size / 2, y + size / 2), square);
    }
    equal(view.squareAt(-5, -5), -1);
    view.destroy();
  }
}

export function a_turned_board_looks_like_one_that_was_written_so() {
  const rows = ["#####", "#@  #", "# $ #", "##  #", "#  .#", "#   #", "#####"];
  const written = [...rows[0]].map((_, row) => rows.map((line) => line[row]).reverse().join(""));
  const [view, other] = [newView({}), newView({})];
  view.turns = true;
  const boards = [rows, written].map((lines) => Board.fromRows(lines));
  view.show(boards[0], { marks: [{ from: 6, to: 7, kind: "arrow", weight: 1 }] });
  other.facing = view.seenAs("d");
  other.show(boards[1], { marks: [{ from: 12, to: 19, kind: "arrow", weight: 1 }] });
  const isSame = () => view.canvas.toDataURL() === other.canvas.toDataURL();
  equal(isSame(), true);
  for (const direction of "uldr") equal(view.directionOf(view.seenAs(direction)), direction);
  for (const square of [0, 8, 17, 34]) {
    const { x, y, size } = view.rectOf(square);
    equal(view.squareAt(x + size / 2, y + size / 2), square);
  }
  view.follow(advance(boards[0], "rD").board, "rD", false);
  other.follow(advance(boards[1], "dL").board, "dL", false);
  equal([view.isMoving, isSame()], [true, true]);
  view.destroy();
  other.destroy();
}

export function a_board_larger_than_its_room_follows_the_player() {
  const width = 200;
  const rows = ["#".repeat(width), `#@${" ".repeat(width - 3)}#`, "#".repeat(width)];
  const view = newView({});
  let board = Board.fromRows(rows);
  view.show(board);
  equal(view.rectOf(board.player).x >= 0, true);
  board = new Board({ ...board, player: 2 * width - 2 });
  view.show(board);
  const { x, size } = view.rectOf(board.player);
  equal(x + size <= 300, true);
  view.destroy();
}

export function a_large_board_is_moved_up_to_its_edge_and_follows_again() {
  const camera = new Camera(false);
  camera.fit({ top: 0, bottom: 150, left: 0, right: 150 }, { width: 300, height: 300 });
  const look = () => camera.follow(75, 75);
  look();
  const { x, y, ratio } = camera;
  camera.panBy(-36, 18);
  look();
  equal([camera.x - x, camera.y - y], [36 * ratio, -18 * ratio]);
  camera.panBy(9999, 0);
  look();
  camera.panBy(-18, 0); // at once back from the edge
  look();
  equal(camera.x, 18 * ratio);
  camera.endPan();
  look();
  equal([camera.x, camera.y], [x, y]);
}

export function a_board_is_whole_at_first_and_gets_no_smaller_than_its_room_needs() {
  const range = { top: 0, bottom: 40, left: 0, right: 40 };
  const camera = new Camera(false);
  const sizes = (side, factor) => {
    const room = { width: side, height: side };
    camera.fit(range, room);
    for (let number = 0; number < 3; number++) {
      camera.zoomBy(factor);
      camera.fit(range, room);
    }
    return [camera.cell / camera.ratio, camera.isCut];
  };
  equal([sizes(400, 1), sizes(400, 0.8), sizes(400, 1.25)], [[10, false], [10, false], [19, true]]);
  camera.zoom = 1;
  equal([sizes(130, 1), sizes(130, 0.8)], [[3, false], [3, false]]);
  equal([sizes(110, 1), sizes(110, 0.8)], [[3, true], [2, false]]);
  camera.zoom = 1;
  equal([sizes(1600, 1), sizes(1600, 0.8), sizes(1600, 0.5)], [[40, false], [20, false], [18, false]]);
}

export function the_label_of_an_arrow_leaves_its_head_free() {
  const [size, centre] = [40, 100];
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    for (const weight of [0.05, 0.5, 1]) {
      const pixels = [undefined, "100 %"].map((label) => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [2 * centre, 2 * centre];
        const pen = canvas.getContext("2d");
        const corner = (square) => [
          centre - size / 2 + square * dx * size,
          centre - size / 2 + square * dy * size,
        ];
        const palette = { arrow: "#00f", text: "#000", "text-back": "#fff" };
        const mark = { from: 0, to: 1, kind: "arrow", weight, label };
        drawMarks(pen, [mark], "above", { size, palette, corner });
        // The head: from its tip in the middle of the next square so far back.
        const long = 0.3 * size;
        const [x, y] = [centre + dx * (size - long / 2), centre + dy * (size - long / 2)];
        return pen.getImageData(x - long / 2, y - long / 2, long, long).data.join();
      });
      equal([dx, dy, weight, pixels[0] === pixels[1]], [dx, dy, weight, true]);
    }
  }
}

export function the_frame_of_a_picked_box_goes_with_the_view() {
  const session = new Session(new Store(null));
  session.open({ title: "", rows: ROWS, solutions: [] });
  session.view = newView();
  const leaving = new AbortController();
  const pointer = { pick() {}, putDown() {}, paths: null };
  new KeyboardPick(pointer, session, () => {}, leaving.signal).next();
  equal(session.marks.map(({ square }) => square), [3 * 11 + 7]);
  leaving.abort();
  equal(session.marks, []);
  session.view.destroy();
}

export function a_second_finger_begins_no_stroke_within_the_first() {
  const settings = new Settings(new Store(null));
  const app = Object.assign(new EventTarget(), { settings, keys: new Keys(settings), announce() {} });
  const leaving = new AbortController();
  const draft = new Draft(emptyRoom(5, 5));
  const drawing = new DrawingCanvas(draft, app, leaving.signal);
  drawing.element.style.cssText = "position: fixed; inset: 0; width: 200px; height: 200px";
  document.body.append(drawing.element);
  drawing.show([]);
  const canvas = drawing.element.querySelector("canvas");
  canvas.setPointerCapture = () => {}; // there is no such pointer
  const { left, top, width } = canvas.getBoundingClientRect();
  const touch = (kind, column) => {
    const [clientX, clientY] = [left + ((column + 0.5) * width) / 5, top + (1.5 * width) / 5];
    canvas.dispatchEvent(new PointerEvent(kind, { pointerId: column, clientX, clientY }));
  };
  for (const [kind, column] of [["down", 1], ["down", 3], ["up", 3], ["up", 1]]) {
    touch(`pointer${kind}`, column);
  }
  equal([draft.rows[1], draft.canUndo], ["##  #", true]);
  draft.undo();
  equal([draft.rows[1], draft.canUndo], ["#   #", false]);
  leaving.abort();
  drawing.element.remove();
}
