import { number, setLanguage, t } from "/static/js/strings/index.js";
import { Keys, keyName } from "/static/js/shell/keys.js";
import { linkedLevel } from "/static/js/shell/importing.js";
import { savedGames } from "/static/js/shell/progress_files.js";
import { hashOf, parseRoute } from "/static/js/shell/router.js";
import { ServerError } from "/static/js/server.js";
import { problemText, reasonText, sentenceOf, titleText } from "/static/js/shell/sentences.js";
import { lineTo } from "/static/js/shell/strokes.js";
import { levelCard } from "/static/js/views/level_card.js";
import { stepPlace } from "/static/js/views/places.js";
import { equal } from "./expect.js";

export function addresses_are_read_as_they_are_written() {
  const route = { view: "play", params: ["a/b %", "3"] };
  equal(parseRoute(hashOf(route.view, route.params)), route);
  equal(parseRoute("#level=%23%23%0A%23"), { level: "##\n#" });
  equal(parseRoute("#level=100%"), { level: "100%" });
  equal(parseRoute(""), { view: "play", params: [] });
}

export async function the_last_level_is_followed_by_the_first_which_is_said() {
  const opened = [];
  const said = [];
  const app = (levels) => ({
    session: { place: { collection: "played", index: 0 } },
    collections: { get: async () => ({ levels }) },
    open: (...address) => opened.push(address),
    toast: (text) => said.push(text),
  });
  await stepPlace(app([]), 1); // an empty collection has no next level
  for (const step of [-1, 1, 2]) await stepPlace(app([{}, {}]), step);
  equal(opened, [2, 2, 1].map((number) => ["play", ["played", number]]));
  equal(said, [t("play.was-first"), t("play.was-last")]);
}

export function texts_count_in_both_languages() {
  setLanguage("en");
  const solved = () => t("play.solved", { moves: 1, pushes: 1234 });
  equal(solved(), "Solved in 1 move and 1,234 pushes.");
  setLanguage("de");
  equal(solved(), "Gelöst in 1 Zug und 1.234 Schüben.");
  equal(number(1234), "1.234");
  setLanguage("en");
}

export function reasons_faults_and_refusals_are_in_the_language_of_the_page() {
  setLanguage("de");
  const reason = (code, values) => ({ message: "", code, values });
  equal(reasonText(reason("time", { seconds: 0.5 })), "die Grenze von 0,5 s ist erreicht");
  equal(reasonText({ message: "planted" }), "Meldung: planted");
  const fault = { line: 8, level: 2, message: "2 boxes but 1 goal" };
  const values = { boxes: 2, goals: 1 };
  equal(problemText({ ...fault, code: "unequal", values }), "Es gibt 2 Kisten, aber 1 Ziel.");
  equal(problemText(fault), "Meldung: 2 boxes but 1 goal.");
  const said = (more) => sentenceOf(new ServerError("planted", "refused", more));
  const problem = reason("named-boxes", { count: 2, name: "die linke Kiste" });
  const fits = "„die linke Kiste“ passt auf 2 Kisten dieser Stellung";
  equal(said({ problem }), `Abgelehnt: ${fits}; der Name muss auf genau eine passen.`);
  const size = reason("size", { squares: 5000, most: 4096 });
  equal(said({ reason: size }), `Abgelehnt: ${reasonText(size)}`);
  equal(said(), "Abgelehnt: planted");
  setLanguage("en");
}

export function titles_of_our_levels_are_in_the_language_of_the_page_and_others_as_given() {
  setLanguage("de");
  equal(titleText("Hard 3", "tokoban"), "Schwer 3");
  equal(titleText("Hard 3", "played"), "Schwer 3");
  equal(titleText("Hard 3", "own-1"), "Hard 3");
  equal(titleText("Level 2 of seed 10", "own-1"), "Level 2 zum Startwert 10");
  equal(titleText("Hard work", "tokoban"), "Hard work");
  equal(titleText("", undefined), t("play.untitled"));
  setLanguage("en");
}

export function keys_have_one_name_each() {
  const name = (key, held = {}) => keyName(new KeyboardEvent("keydown", { key, ...held }));
  equal(name("u"), "u");
  equal(name("U"), "u"); // caps lock
  equal(name("U", { shiftKey: true }), "Shift+U");
  equal(name("?", { shiftKey: true }), "?");
  equal(name("Z", { shiftKey: true, ctrlKey: true }), "Ctrl+Shift+z");
  equal(name(" "), "Space");
}

export function a_key_belongs_to_the_action_that_took_it_last() {
  const values = { keys: {} };
  const settings = { get: (name) => values[name], set: (name, value) => (values[name] = value) };
  const keys = new Keys(settings);
  const ran = [];
  const action = (id, key) => ({ id, titleKey: "", keys: [key], run: () => ran.push(id) });
  const [one, other] = [action("one", "1"), action("other", "2")];
  const left = new AbortController();
  keys.add([one, other], left.signal);
  keys.change(one, ["2"]);
  equal([keys.keysOf(one), keys.keysOf(other)], [["2"], []]);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }));
  left.abort();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }));
  equal(ran, ["one"]);
}

export function a_stroke_has_no_gaps() {
  equal(lineTo([2, 3], [2, 7]), [[2, 4], [2, 5], [2, 6], [2, 7]]);
  equal(lineTo([2, 3], [0, 1]), [[1, 2], [0, 1]]);
  equal(lineTo([0, 0], [4, 2]), [[1, 1], [2, 1], [3, 2], [4, 2]]);
  equal(lineTo([1, 1], [1, 1]), []);
}

export function a_link_with_a_level_is_found_among_words() {
  const level = "#####\n#@$.#\n#####";
  const link = `http://127.0.0.1:8000/#level=${encodeURIComponent(level)}`;
  const broken = `${link.slice(0, 60)}\n${link.slice(60)}`;
  const texts = [link, `Try this: ${link}`, `${link} please`, `<${link}>`, `> ${link}`, `[url]${link}[/url]`];
  for (const text of [...texts, `${link}.`, broken, `Try\r\n${broken.replace("\n", "\r\n")}\r\nBye`]) {
    equal(linkedLevel(text), level);
  }
  equal(linkedLevel("no link"), "");
}

export function only_the_players_own_unfinished_games_go_out() {
  const rows = ["#######", "#@ $ .#", "#######"];
  const game = { rows, title: "", playedAt: 0, moves: "rRR", at: 2, snapshots: [] };
  equal(savedGames(game), []); // solved
  equal(savedGames({ ...game, given: 1 }), [{ moves: "r", at: 1 }]);
  equal(savedGames({ ...game, given: 0 }), []);
  const snapshots = [
    { moves: "r", at: 1, given: 1, name: "mine" },
    { moves: "rR", at: 2, given: 1, name: "given" },
  ];
  equal(savedGames({ ...game, moves: "", at: 0, snapshots }), [{ moves: "r", at: 1, title: "mine" }]);
}

export function a_level_card_tells_of_solutions_that_exist() {
  const level = { title: "", rows: ["#####", "#@$.#", "#####"], solutions: [] };
  const painter = { takeCanvas: () => document.createElement("canvas") };
  const told = (bestByMoves, bestByPushes) => {
    const progress = { bestByMoves, bestByPushes };
    const card = levelCard(level, { collection: "c", index: 0 }, progress, painter);
    return card.querySelector(".level-state").textContent;
  };
  setLanguage("en");
  equal(told("rRlLL", "rrrrrR"), "5/3 · 6/1"); // no solution has 5 moves and 1 push
  equal(told("rRlLL", "rRlLL"), "5 moves, 3 pushes");
}
