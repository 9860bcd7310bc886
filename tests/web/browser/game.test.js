import { Game } from "/static/js/game/game.js";
import { isLevel } from "/static/js/game/records.js";
import { Session } from "/static/js/game/session.js";
import { Store, bestOf, solutionsOf, stateOf } from "/static/js/game/store.js";
import { Board, advance, retreat } from "/static/js/rules/board.js";
import { Settings } from "/static/js/shell/settings.js";
import { levelKey, parseLurd } from "/static/js/rules/text.js";
import { equal } from "./expect.js";

const ROWS = ["########", "#@ $  .#", "#      #", "########"];
const newGame = (kept) => new Game(Board.fromRows(ROWS), kept);

export function rows_are_written_as_they_were_read() {
  const rows = ["#####", "#+$*#", "#. ##"];
  equal(Board.fromRows(rows).toRows(), rows);
  equal(Board.fromRows(["##", "#@ $"]).toRows(), ["##  ", "#@ $"]);
}

export function retreat_undoes_advance() {
  const start = Board.fromRows(ROWS);
  const { board, letters } = advance(start, "rrRdlu");
  equal(letters, "rRRdlu");
  equal(retreat(board, letters).toRows(), ROWS);
}

export function a_move_made_again_by_hand_keeps_the_rest_of_the_line() {
  const game = newGame();
  game.play("rdr");
  game.restart();
  game.play("r");
  equal([game.moves, game.at], ["rdr", 1]);
  game.play("l");
  equal([game.moves, game.at, game.leftLines.length], ["rl", 2, 1]);
  game.returnToLeftLine();
  equal([game.moves, game.at], ["rdr", 3]);
}

export function a_line_that_goes_on_from_an_undone_one_leaves_nothing_behind() {
  const game = newGame();
  game.play("r");
  game.undo();
  game.play("rd");
  equal([game.moves, game.at, game.leftLines], ["rd", 2, []]);
}

export function undo_and_redo_by_pushes_stop_at_pushes() {
  const game = newGame();
  game.play("rrrdll");
  equal(game.moves, "rRRdll");
  game.undoPush();
  equal(game.at, 2);
  game.undoPush();
  equal(game.at, 1);
  game.undoPush();
  equal(game.at, 0);
  game.redoPush();
  equal(game.at, 2);
}

export function a_solved_game_takes_no_more_moves() {
  const game = newGame();
  equal(game.play("rrrrr"), "rRRR");
  equal(game.play("l"), "");
}

export function moves_that_the_rules_forbid_are_dropped_from_a_kept_game() {
  const game = newGame({ moves: "ruurr", at: 9 });
  equal([game.moves, game.at], ["r", 1]);
}

export function a_snapshot_brings_its_line_back() {
  const game = newGame();
  game.play("rr");
  game.addSnapshot("here");
  game.goTo(1);
  game.play("d");
  game.openSnapshot(0);
  equal([game.moves, game.at, game.leftLines.map(({ moves }) => moves)], ["rR", 2, ["rd"]]);
}

export function the_best_solutions_are_chosen_by_each_figure() {
  const [few, pushy] = ["lllR", "LRR"];
  const bests = bestOf([few, pushy]);
  equal(bests, { bestByMoves: pushy, bestByPushes: few });
  equal(solutionsOf(bests), [pushy, few]);
  equal([bestOf([]), solutionsOf({}), solutionsOf(null)], [{}, [], []]);
}

/** A storage as the browser has them. */
function newStorage() {
  const records = new Map();
  return {
    getItem: (name) => records.get(name) ?? null,
    setItem: (name, value) => records.set(name, value),
    removeItem: (name) => records.delete(name),
    key: (index) => [...records.keys()][index],
    get length() {
      return records.size;
    },
  };
}

const LEVEL = { title: "", rows: ROWS, solutions: [] };

function openedIn(store, level = LEVEL) {
  const session = new Session(store);
  session.open(level);
  return session;
}

const PROGRESS = { rows: ROWS, title: "", moves: "", at: 0, snapshots: [], playedAt: 0 };
const solvedBy = (moves) => ({ ...PROGRESS, bestByMoves: moves, bestByPushes: moves });

export function a_worse_solution_never_overwrites_a_better_one() {
  const storage = newStorage();
  const [store, otherTab] = [new Store(storage), new Store(storage)];
  equal(stateOf(store.progress("k")), "unseen");
  store.keepProgress("k", PROGRESS);
  equal(stateOf(store.progress("k")), "tried");
  otherTab.keepProgress("k", solvedBy("rRR"));
  store.keepProgress("k", solvedBy("rlrRR"));
  equal(store.progress("k").bestByMoves, "rRR");
}

export function without_room_progress_lasts_until_the_page_is_closed() {
  const storage = newStorage();
  storage.setItem = (name, value) => {
    if (value.length > 20) throw new Error("full");
  };
  for (const store of [new Store(storage), new Store(null)]) {
    store.keepProgress("k", solvedBy("rRR"));
    store.progress("k").begunAt = 5;
    store.keepProgress("k", PROGRESS);
    equal(store.progress("k").begunAt, 5);
    store.keepValue("panel", "work");
    equal([store.progress("k").bestByMoves, store.allProgress().size], ["rRR", 1]);
    equal([store.value("panel"), store.isFull], ["work", true]);
  }
}

export function what_another_tab_clears_or_writes_takes_no_record_that_is_only_here() {
  const storage = window.localStorage;
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = () => { throw new Error("full"); };
  try {
    const store = new Store(storage);
    store.keepProgress("k", solvedBy("rRR"));
    for (const key of [null, "tokoban:level:k"]) {
      window.dispatchEvent(new StorageEvent("storage", { key, storageArea: storage }));
      equal(store.progress("k")?.bestByMoves, "rRR");
    }
  } finally {
    Storage.prototype.setItem = setItem;
  }
}

export function damaged_records_count_as_none() {
  const damaged = ["{", "5", "null", '"x"', "[]", "{}", `{"rows":["##"],"moves":""}`];
  damaged.push(JSON.stringify({ ...PROGRESS, rows: ["@?"] }), JSON.stringify({ ...PROGRESS, moves: 3 }));
  damaged.push(`{"id":"c","name":"n"}`, `{"keys":null,"language":"xx","theme":5,"avoidsDead":"yes"}`);
  for (const text of damaged) {
    const storage = newStorage();
    for (const name of ["level:k", "collection:c", "settings"]) storage.setItem(`tokoban:${name}`, text);
    const store = new Store(storage);
    equal([store.progress("k"), store.collections(), store.allProgress().size], [null, [], 0]);
    const settings = new Settings(store);
    equal(["theme", "keys", "avoidsDead"].map((name) => settings.get(name)), ["auto", {}, false]);
    equal(["en", "de"].includes(settings.language), true);
  }
  const lists = [{ notes: "x" }, { saved: [5] }, { solutions: [null] }, { rows: [] }, {}];
  equal(lists.map((changed) => isLevel({ ...LEVEL, ...changed })), [false, false, false, false, true]);
  const storage = newStorage();
  const kept = { ...PROGRESS, snapshots: [5, { moves: "r", at: 1, name: "here" }], at: "x" };
  storage.setItem("tokoban:level:k", JSON.stringify(kept));
  const { at, snapshots } = new Store(storage).progress("k");
  equal([at, snapshots.length], [0, 1]);
}

export function a_solution_of_a_search_never_counts_as_the_players_until_it_is_made_by_hand() {
  const store = new Store(newStorage());
  const state = () => stateOf(store.progress(levelKey(ROWS)));
  const first = openedIn(store);
  first.game.play("r");
  first.showSolution("rRRR", 1);
  first.game.goTo(4);
  equal([first.game.isOwn, state(), first.bests.bestByMoves], [false, "tried", "rRRR"]);
  first.game.undo();
  first.keep();
  const again = openedIn(store); // the page was loaded again
  again.game.redo();
  equal([again.game.board.isSolved(), state()], [true, "tried"]);
  again.game.goTo(1);
  for (const letter of "rrr") again.game.play(letter);
  equal([again.game.isOwn, state()], [true, "solved"]);
}

export function only_a_solution_that_is_better_than_the_players_own_is_a_new_best() {
  const solving = (found, solutions) => {
    const session = openedIn(new Store(null));
    const told = [];
    session.addEventListener("solved", ({ detail }) => told.push(detail.isBest));
    session.addSolution(found); // a search's
    for (const moves of solutions) {
      session.game.restart();
      session.game.play(moves);
    }
    return told;
  };
  equal(solving("rRRR", ["durRRR", "rlrRRR", "rRRR", "rlrRRR"]), [false, false, true, false]);
  equal(solving("rlrRRR", ["rRRR"]), [true]);
}

export function the_push_of_a_hint_is_not_the_players_until_it_is_made_by_hand() {
  const game = newGame();
  game.play("r");
  game.play("R", false);
  game.play("r");
  equal([game.isOwn, game.given], [false, 1]);
  game.goTo(1);
  game.play("rrr");
  equal([game.isOwn, game.board.isSolved()], [true, true]);
}

export function what_searches_have_found_is_kept_apart_from_the_progress() {
  const storage = newStorage();
  const open = (solutions = []) => openedIn(new Store(storage), { ...LEVEL, solutions });
  const first = open();
  first.addSolution("rlrRRR");
  first.addSolution("rRRR");
  first.addSolution("rlrlrRRR"); // no better: it is not kept
  first.setBounds({ moves: 4, pushes: null });
  const again = open();
  equal([again.bests.bestByMoves, again.bounds], ["rRRR", { moves: 4 }]);
  const store = new Store(storage);
  equal([stateOf(store.progress(first.levelKey)), store.allProgress().size], ["unseen", 0]);
  again.setBounds({ moves: 3, pushes: 2 }); // the higher bound stays
  equal(open().bounds, { moves: 4, pushes: 2 });
  const other = open(["rRRR"]);
  other.open({ title: "", rows: ["#####", "#@$.#", "#####"], solutions: ["R"] });
  equal([other.bests.bestByMoves, other.bounds], ["R", {}]);
  other.addSolution("R"); // the file's
  equal(new Store(storage).found(other.levelKey), null);
}

export function found_solutions_that_solve_nothing_and_refuted_bounds_count_as_none() {
  const solved = { bestByMoves: "rRRR", bestByPushes: "rRRR" };
  const damaged = [
    ["{", undefined, {}],
    ["5", undefined, {}],
    [`{"bounds":7}`, undefined, {}],
    [{ bestByMoves: "", bestByPushes: "", bounds: { moves: "4", pushes: -3 } }, undefined, {}],
    [{ bestByMoves: "rR", bestByPushes: "rrrr", bounds: { pushes: 2 } }, undefined, { pushes: 2 }],
    [{ ...solved, bestByMoves: ["rRRR"], bounds: {} }, undefined, {}],
    [{ ...solved, bounds: { moves: 5, pushes: 3 } }, "rRRR", { pushes: 3 }],
    [{ bounds: null }, undefined, {}],
  ];
  for (const [record, best, bounds] of damaged) {
    const storage = newStorage();
    const text = typeof record === "string" ? record : JSON.stringify(record);
    storage.setItem(`tokoban:found:${levelKey(ROWS)}`, text);
    const session = openedIn(new Store(storage));
    equal([session.bests.bestByMoves, session.bounds], [best, bounds]);
    session.addSolution("rRRR"); // a false record does not keep a true one out
    equal(session.bests.bestByMoves, "rRRR");
  }
}

export function what_a_search_of_another_tab_finds_is_known_at_once() {
  const [one, other] = [1, 2].map(() => openedIn(new Store(localStorage)));
  let told = 0;
  other.addEventListener("known", () => (told += 1));
  one.addSolution("rlrRRR");
  const key = `tokoban:found:${one.levelKey}`;
  window.dispatchEvent(new StorageEvent("storage", { key, storageArea: localStorage }));
  equal([told, other.bests.bestByMoves], [1, "rlrRRR"]);
  localStorage.removeItem(key);
}

export function moves_and_a_kept_position_of_another_tab_are_not_lost() {
  const [one, other] = [1, 2].map(() => openedIn(new Store(localStorage)));
  one.game.play("r");
  one.game.addSnapshot("here");
  one.keep();
  const key = `tokoban:level:${one.levelKey}`;
  const tell = () => window.dispatchEvent(new StorageEvent("storage", { key, storageArea: localStorage }));
  tell();
  other.game.play("d");
  other.keep();
  const kept = new Store(localStorage).progress(one.levelKey);
  equal([kept.snapshots.map(({ name }) => name), kept.moves], [["here"], "rd"]);
  other.game.play("r"); // not yet written when the other tab's moves come
  tell();
  equal([one.game.moves, other.game.moves], ["rd", "rdr"]);
}

export function lurd_is_read_with_repeats_and_groups() {
  equal(parseLurd("3r 2(uL)"), "rrruLuL");
  equal(["3", "x", "(u", "u)", "99999(99999u)", ""].map(parseLurd), [null, null, null, null, null, ""]);
}

export function levels_are_equal_by_their_squares_only() {
  equal(levelKey(["##", "# "]), levelKey(["##", "#"]));
  equal(levelKey(["##"]) === levelKey(["#", "#"]), false);
}
