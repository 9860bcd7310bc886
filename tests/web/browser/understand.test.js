import { Chart } from "/static/js/understand/chart.js";
import { certificateSteps, staticSteps } from "/static/js/understand/certificate_steps.js";
import { GameLine } from "/static/js/understand/game_line.js";
import { Hints, hintOf } from "/static/js/understand/hints.js";
import { LostWatch, upToLastPush } from "/static/js/understand/lost.js";
import { Checker } from "/static/js/editor/checker.js";
import { complaints } from "/static/js/editor/legality.js";
import { Draft, emptyRoom } from "/static/js/editor/draft.js";
import { Game } from "/static/js/game/game.js";
import { Session } from "/static/js/game/session.js";
import { Store } from "/static/js/game/store.js";
import { JobButton } from "/static/js/jobs/job_button.js";
import { LatestJob } from "/static/js/jobs/latest_job.js";
import { Board } from "/static/js/rules/board.js";
import { t } from "/static/js/strings/index.js";
import { shareBar } from "/static/js/views/labs/share_bar.js";
import { GeneratePart } from "/static/js/work/generate_part.js";
import { RatePart } from "/static/js/work/rate_part.js";
import { SOLVE, SolutionPart } from "/static/js/work/solve_part.js";
import { equal } from "./expect.js";

const never = new AbortController().signal;

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

export function a_known_solution_gives_the_hint_wherever_the_player_stands_in_its_area() {
  const start = Board.fromRows(["#######", "#@ $ .#", "#     #", "#  $ .#", "#######"]);
  const here = Board.fromRows(["#######", "#  $ .#", "#@    #", "#  $ .#", "#######"]);
  const first = { box: [1, 3], destination: [1, 5], push: "r", moves: "urR", pushes_left: 4 };
  equal(hintOf(start, "rRRdllldrRR", here), first);
  const later = Board.fromRows(["#######", "#    *#", "#     #", "#@ $ .#", "#######"]);
  const second = { box: [3, 3], destination: [3, 5], push: "r", moves: "rR", pushes_left: 2 };
  equal(hintOf(start, "rRRdllldrRR", later), second);
  const beside = Board.fromRows(["#######", "#@$  .#", "#     #", "#  $ .#", "#######"]);
  equal(hintOf(start, "rRRdllldrRR", beside), null);
}

export async function a_hint_that_a_known_solution_gives_is_not_searched_for() {
  const session = new Session(new Store(null));
  session.open({ title: "", rows: ["#######", "#@ $ .#", "#######"], solutions: ["rRR"] });
  window.fetch = () => {
    throw new Error("a job was asked for");
  };
  const hints = new Hints(session, never, () => [undefined, session.bests.bestByMoves]);
  for (let number = 0; number < 4; number++) await hints.more();
  equal([hints.grade, session.game.played], [0, "rR"]);
}

export function a_click_on_the_line_goes_to_the_nearest_push() {
  const asked = [];
  const chart = new Chart((at) => asked.push(at));
  chart.element.style.width = "400px";
  document.body.append(chart.element);
  const game = new Game(Board.fromRows(["#######", "#@ $ .#", "#######"]));
  game.play("rRR");
  chart.show(game, { points: new Map() }, null, -1);
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

export function undoing_another_drawing_brings_back_its_fields_but_undoing_a_stroke_changes_none() {
  const draft = new Draft(emptyRoom(4, 5));
  draft.fields = { title: "Mine", author: "", id: "1" };
  draft.load(["#####", "#@$.#", "#####"], { title: "Theirs", author: "A" });
  draft.beginStroke(6, "goal");
  draft.endStroke();
  draft.fields = { title: "Renamed", author: "A" };
  draft.undo();
  equal([draft.rows[1], draft.fields.title], ["#@$.#", "Renamed"]);
  draft.undo();
  equal([draft.rows, draft.fields], [emptyRoom(4, 5), { title: "Mine", author: "", id: "1" }]);
  draft.redo();
  equal([draft.rows[1], draft.fields.title], ["#@$.#", "Renamed"]);
}

export function a_room_stays_closed_at_every_size_and_what_is_drawn_stays_in_its_place() {
  const draft = new Draft(emptyRoom(4, 5));
  draft.resize(6, 8);
  equal(draft.rows, emptyRoom(6, 8));
  draft.resize(3, 4);
  equal(draft.rows, emptyRoom(3, 4));
  draft.prepend("row");
  draft.prepend("column");
  equal(draft.rows, emptyRoom(4, 5));
  draft.load(["#####", "#@$.#", "#####"]);
  draft.resize(4, 6);
  equal(draft.rows, ["######", "#@$. #", "#    #", "######"]);
  draft.prepend("column");
  equal(draft.rows, ["#######", "# @$. #", "#     #", "#######"]);
  draft.load(["###", "#@ ", "#$."]); // open: nothing closes it
  draft.resize(4, 4);
  equal(draft.rows, ["####", "#@  ", "#$. ", "#   "]);
}

export function what_is_wrong_with_a_drawing_is_found() {
  const keys = (...rows) => complaints(Board.fromRows(rows, { needsPlayer: false })).map(({ key }) => key.split(".")[1]);
  equal(keys("#####", "#@$.#", "#####"), []);
  equal(keys("#####", "# $.#", "#####"), ["no-player"]);
  equal(keys("###", "###", "###"), ["no-player", "no-box"]);
  equal(keys("#####", "#@$ #", "#####"), ["unequal"]);
  equal(keys("#####", "#@$. ", "#####"), ["open"]);
  equal(keys("#######", "#@$.#$#", "#   #.#", "#######"), ["outside"]);
  equal(keys("#####", "#@* #", "#####"), ["solved"]);
  equal(keys("#####", "#@ $#", "# . #", "#####"), ["dead-square"]);
}

/** Jobs that answer when the test says so, even after they were cancelled. */
function takeJobs() {
  const taken = [];
  window.fetch = async (path, { body }) => {
    let stream;
    const answers = new ReadableStream({ start: (controller) => (stream = controller) });
    const send = async (event) => {
      stream.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    taken.push({ ...JSON.parse(body), send });
    return new Response(answers);
  };
  return async (kind, moves) => {
    for (;;) {
      const at = taken.findIndex((job) => job.kind === kind && job.arguments.moves === moves);
      if (at >= 0) return taken.splice(at, 1)[0];
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
}

const OPEN = ["#######", "#@ $ .#", "#     #", "#######"];
const other = { title: "", rows: [...OPEN.slice(0, 3), "#     #", "#######"], solutions: [] };
const lostAfter = (moves) => ({
  event: "done", status: "deadlocked", moves, boxes: [[1, 3]], certificate: {}, num_pushes: null,
});

export async function a_proof_is_of_this_level_and_this_line_alone() {
  const job = takeJobs();
  const session = new Session(new Store(null));
  const watch = new LostWatch(session, never);
  session.open({ ...other, rows: OPEN });
  await (await job("explain", "")).send(lostAfter(""));
  equal(watch.isLost, true);
  session.open(other);
  equal(watch.isLost, false);
  session.game.play("rR");
  const late = await job("explain", "rR");
  session.game.undo();
  await late.send(lostAfter("rR"));
  equal([watch.isLost, watch.lineLostAt], [false, null]);
  session.game.redo();
  await (await job("explain", "rR")).send(lostAfter("rR"));
  session.game.play("l");
  equal([watch.lostAt, watch.lineLostAt], [2, 2]);
  session.game.goTo(1);
  equal([watch.lostAt, watch.lineLostAt], [null, 2]); // the rest of the line is still lost
  session.game.redo();
  equal([watch.lostAt, watch.guilty], [2, []]); // no box stands where the answer says
  session.game.undo();
  session.game.play("d");
  equal([watch.isLost, watch.lineLostAt], [false, null]);
}

export async function a_suspicion_counts_only_where_no_solution_is_known() {
  const job = takeJobs();
  const session = new Session(new Store(null));
  const watch = new LostWatch(session, never);
  session.open(other);
  session.game.play("rRdR");
  equal(watch.lineSolvableAt, -1);
  const solved = { ...lostAfter("rR"), status: "solved", boxes: [], solution: "R", num_pushes: 1 };
  session.game.goTo(2);
  await (await job("explain", "rR")).send(solved);
  equal(watch.lineSolvableAt, 2); // what comes after another move is not known
  const chart = new Chart(() => {});
  const points = new Map([0, 2].map((at) => [at, { at, pushes_left: 1, deadlocked: 0.9 }]));
  const numRinged = (solvableAt) => {
    chart.show(session.game, { points }, null, solvableAt);
    return chart.element.querySelectorAll(".doubtful").length;
  };
  equal([-1, 0, 2].map(numRinged), [2, 1, 0]);
}

export async function opinions_and_hints_of_another_line_are_dropped() {
  const job = takeJobs();
  const session = new Session(new Store(null));
  const line = new GameLine(session, never);
  const hints = new Hints(session, never);
  session.open({ ...other, rows: OPEN });
  session.game.play("rR");
  const opinions = await job("predict_line", "rR");
  session.game.undo();
  session.game.play("dr");
  const point = { at: 2, pushes_left: 1, deadlocked: 0 };
  await opinions.send({ event: "answer", points: [point] });
  equal(line.points.size, 0);
  hints.more();
  const hint = await job("hint", undefined);
  session.open(other);
  await hint.send({ event: "done", status: "solved", box: [1, 3], destination: [1, 5], moves: "rR" });
  equal([hints.grade, hints.text, session.marks], [0, "", []]);
}

export async function a_button_runs_its_job_and_says_how_it_ended() {
  const theJob = takeJobs();
  const ended = [];
  const made = new JobButton({
    kind: "rate",
    signal: never,
    start: "work.rate-start",
    begin: () => ({ moves: "" }),
    end: (done) => ended.push(done?.pushes ?? null),
  });
  const word = () => [made.element.textContent, made.status.textContent];
  made.element.click();
  equal(word(), ["Cancel", "Working …"]);
  await (await theJob("rate", "")).send({ event: "done", pushes: 3 });
  equal([ended, word()], [[3], ["Rate", ""]]);
  made.element.click();
  made.element.click();
  equal([ended, word()], [[3, null], ["Rate", "Cancelled."]]);
  await theJob("rate", ""); // the one that was cancelled
  made.element.click();
  await (await theJob("rate", "")).send({ event: "error", code: "memory", message: "" });
  equal([ended, word()], [[3, null, null], ["Rate", t("error.memory")]]);
}

export async function once_its_view_is_left_no_job_starts() {
  const leaving = new AbortController();
  const job = new LatestJob({ signal: leaving.signal, fail() {} });
  leaving.abort();
  let asked = 0;
  window.fetch = () => {
    asked += 1;
  };
  equal([await job.run("hint", {}), asked], [null, 0]);
}

export async function levels_that_are_made_already_are_kept_when_the_view_is_left() {
  const theJob = takeJobs();
  const added = [];
  const add = (name, levels) => {
    added.push([name, levels]);
    return { id: "own-1", isKept: true };
  };
  const leaving = new AbortController();
  const app = { collections: { add }, session: { game: { played: "" } }, notify() {} };
  const part = new GeneratePart(app, leaving.signal);
  part.element.querySelector(".row button").click();
  const [size] = part.element.querySelectorAll("select");
  size.value = "14"; // for the next levels
  size.dispatchEvent(new Event("change"));
  await (await theJob("generate", undefined)).send({ event: "answer", level: other });
  leaving.abort();
  const name = t("work.generated-name", { size: 9, boxes: 3 });
  equal(added, [[name, [other]]]);
}

export async function what_a_search_proved_is_still_said_when_it_has_given_up() {
  const theJob = takeJobs();
  const session = new Session(new Store(null));
  session.open({ ...other, rows: OPEN });
  const { element } = new SolutionPart(session, never, SOLVE);
  element.querySelector("button.primary").click();
  const reason = { message: "stopped", code: "stopped" };
  const solve = await theJob("solve", undefined);
  await solve.send({ event: "progress", num_expansions: 7, elapsed_s: 1, objective: "pushes", at_least: 2 });
  await solve.send({
    event: "done", status: "gave up", moves: null, at_least_moves: null, at_least_pushes: 3, reason,
  });
  const bounds = t("work.proved", { bounds: t("work.at-least-pushes", { pushes: 3 }) });
  equal(
    [...element.querySelectorAll("p")].map((line) => line.textContent).filter(Boolean),
    [t("work.gave-up", { reason: t("reason.stopped") }), bounds],
  );
}

export async function an_answer_no_shorter_than_the_last_takes_its_place() {
  const theJob = takeJobs();
  const session = new Session(new Store(null));
  session.open({ ...other, rows: ["#####", "#@  #", "#   #", "#  $#", "#  .#", "#####"] });
  const { element } = new SolutionPart(session, never, SOLVE);
  element.querySelector("button.primary").click();
  const solve = await theJob("solve", undefined);
  const answer = { status: "solved", num_pushes: 1, elapsed_s: 0, at_least_moves: null, at_least_pushes: null };
  await solve.send({ event: "answer", ...answer, moves: "rlrrdD", num_moves: 6, optimum: null });
  await solve.send({ event: "answer", ...answer, moves: "rrdD", num_moves: 4, optimum: null });
  await solve.send({ event: "done", ...answer, moves: "drrD", num_moves: 4, optimum: "moves", reason: null });
  const figures = [4, 6].map((moves) => t("play.figures", { moves, pushes: 1 }));
  const told = [...element.querySelectorAll(".answers li")].map((line) => line.textContent);
  equal(told.map((text) => figures.find((each) => text.startsWith(each))), figures);
}

export function a_column_of_numbers_has_as_many_decimals_in_each() {
  const shares = [0.766, 0.01, 0].map((share) => shareBar(document.createElement("b"), share).textContent);
  equal(shares, ["76.6 %", "1.0 %", "0.0 %"]);
}

export async function a_rating_that_gives_up_shows_what_it_has_proved() {
  const theJob = takeJobs();
  const session = new Session(new Store(null));
  session.open({ ...other, rows: OPEN });
  const { element } = new RatePart(session, never);
  element.querySelector("button").click();
  await (await theJob("rate", undefined)).send({
    event: "done", status: "gave up", floor: 9, boxes: 1, moves: null, pushes: null,
    at_least_moves: null, at_least_pushes: 5, along_solution: null, anywhere: null, positions: null,
  });
  const told = [...element.querySelectorAll("dt, dd")].map((each) => each.textContent);
  const atLeast = t("work.at-least", { value: 5 });
  equal(told, [t("work.rate-boxes"), "1", t("work.rate-floor"), "9", t("work.rate-pushes"), atLeast]);
  equal(session.bounds, { pushes: 5 });
}

export async function a_drawing_without_a_solution_is_said_to_have_none() {
  const theJob = takeJobs();
  const checker = new Checker(new Draft(["#####", "#@$.#", "#####"]), never);
  checker.refresh(true);
  checker.element.querySelector("button").click();
  await (await theJob("solve", undefined)).send({ event: "done", status: "unsolvable", reason: null });
  equal(checker.element.querySelector("p").textContent, t("work.unsolvable"));
}
