/** Pictures: draw a board; a vision transformer says whether it is solved, open or lost. */

import { MEAN, ROLLOUT } from "../../attention/weights.js";
import { button, el } from "../../shell/dom.js";
import { number, t } from "../../strings/index.js";
import { GridEditor } from "./grid_editor.js";
import { whenQuiet } from "./when_quiet.js";

const SIDE = 8;
/** XSB letters, with the names of their strings and classes. @type {Record<string, string>} */
const TILES = {
  "#": "wall", " ": "floor", ".": "goal", $: "box", "*": "box-on-goal", "@": "player",
  "+": "player-on-goal",
};
const BRUSHES = ["#", " ", ".", "$", "@"];
/** @type {Record<string, string[]>} */
const EXAMPLES = {
  open: [
    "########", "#      #", "# $.   #", "#   ## #", "# $ .# #", "#  @   #", "#      #", "########",
  ],
  lost: [
    "########", "#$     #", "#  .   #", "#   ## #", "# $ .# #", "#  @   #", "#      #", "########",
  ],
  solved: [
    "########", "#      #", "#  *   #", "#   ## #", "#   *# #", "#  @   #", "#      #", "########",
  ],
};

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.pictures": { en: "Pictures", de: "Bilder" },
  "labs.examples": { en: "Examples:", de: "Beispiele:" },
  "labs.pictures-about": {
    en: "A vision transformer sees the board as a picture, a patch for each square, and says whether "
      + "it is solved, open or lost. It is right for 96 % of its test boards; the exact solver "
      + "checks it. Rollout shows which patches the answer was made of.",
    de: "Ein Vision Transformer sieht das Brett als Bild, ein Bildstück je Feld, und sagt, ob es gelöst, "
      + "offen oder verloren ist. Bei 96 % seiner Testbretter hat er recht; der exakte Löser prüft ihn. "
      + "Rollout zeigt, aus welchen Bildstücken die Antwort entstand.",
  },
  "labs.picture-board": { en: "Board", de: "Brett" },
  "labs.brush": { en: "Draw", de: "Zeichnen" },
  "labs.tile-wall": { en: "wall", de: "Wand" },
  "labs.tile-floor": { en: "floor", de: "Boden" },
  "labs.tile-goal": { en: "goal", de: "Ziel" },
  "labs.tile-box": { en: "box", de: "Kiste" },
  "labs.tile-box-on-goal": { en: "box on a goal", de: "Kiste auf einem Ziel" },
  "labs.tile-player": { en: "player", de: "Figur" },
  "labs.tile-player-on-goal": { en: "player on a goal", de: "Figur auf einem Ziel" },
  "labs.tile-at": {
    en: "row {row}, column {column}: {tile}", de: "Zeile {row}, Spalte {column}: {tile}",
  },
  "labs.classes": { en: "What the network says", de: "Was das Netz sagt" },
  "labs.class-solved": { en: "solved", de: "gelöst" },
  "labs.class-open": { en: "open", de: "offen" },
  "labs.class-lost": { en: "lost", de: "verloren" },
  "labs.proving": { en: "The solver is at work …", de: "Der Löser rechnet …" },
  "labs.proved-solved": { en: "The board is solved.", de: "Das Brett ist gelöst." },
  "labs.proved-open": {
    en: "Proved open: the solver found a solution.",
    de: "Bewiesen offen: Der Löser hat eine Lösung gefunden.",
  },
  "labs.proved-lost": {
    en: "Proved lost: no solution exists.", de: "Bewiesen verloren: Es gibt keine Lösung.",
  },
  "labs.proved-unknown": {
    en: "The solver found no answer within two seconds.",
    de: "Der Löser hat in zwei Sekunden keine Antwort gefunden.",
  },
};

/** @type {import("../labs.js").Lab} */
export const lab = { id: "pictures", words, mount };

/**
 * @param {HTMLElement} element
 * @param {import("../labs.js").Bench} bench
 */
function mount(element, { newJob, showAttention }) {
  const job = newJob();
  let cells = [...EXAMPLES.open.join("")];
  let brush = "$";
  const editor = new GridEditor({
    height: SIDE,
    width: SIDE,
    label: t("labs.picture-board"),
    classOf: (cell) => `tile-${TILES[cells[cell]]}`,
    nameOf: (cell) =>
      t("labs.tile-at", {
        tile: t(`labs.tile-${TILES[cells[cell]]}`),
        row: Math.floor(cell / SIDE) + 1,
        column: (cell % SIDE) + 1,
      }),
    paint(cell) {
      cells = painted(cells, cell, brush);
      look();
    },
  });
  const bars = el("ol", { class: "lab-bars", "aria-label": t("labs.classes") });
  const proof = el("p", { class: "note", role: "status" });

  const look = whenQuiet(classify);
  async function classify() {
    const rows = Array.from({ length: SIDE }, (_, row) =>
      cells.slice(row * SIDE, (row + 1) * SIDE).join(""));
    proof.textContent = t("labs.proving");
    const done = await job.run("classify", { board: rows.join("\n") }, (event) => {
      if (event.event !== "answer") return;
      bars.replaceChildren(...event.classes.map(barOf));
      // The class token, after all layers: what the answer is made of.
      const start = { layer: ROLLOUT, head: MEAN, query: 0 };
      showAttention(event.panels.map((/** @type {any} */ panel) =>
        ({ ...panel, name: t("labs.picture-board"), start })));
    });
    proof.textContent = done ? t(`labs.proved-${done.proved}`) : "";
  }

  const brushes = BRUSHES.map((letter) => {
    const choose = button({
      label: t(`labs.tile-${TILES[letter]}`), text: true,
      run: () => {
        brush = letter;
        brushes.forEach((other) => other.setAttribute("aria-pressed", String(other === choose)));
      },
    });
    choose.setAttribute("aria-pressed", String(letter === brush));
    return choose;
  });
  const examples = Object.entries(EXAMPLES).map(([name, rows]) =>
    button({
      label: t(`labs.class-${name}`), text: true,
      run: () => {
        cells = [...rows.join("")];
        editor.refresh();
        classify();
      },
    }));
  element.append(
    el("p", {}, t("labs.pictures-about")),
    el("div", { class: "lab-two" },
      editor.element,
      el("div", { class: "stack" },
        el("div", { class: "row", role: "group", "aria-label": t("labs.brush") }, ...brushes),
        el("div", { class: "row" }, el("span", {}, t("labs.examples")), ...examples),
        el("h3", {}, t("labs.classes")), bars, proof)),
  );
  classify();
  return () => look.cancel();
}

/** @param {{name: string, probability: number}} found */
function barOf({ name, probability }) {
  const bar = el("span", { class: "lab-bar" });
  bar.style.width = `${100 * probability}%`;
  const percent = number(Math.round(probability * 1000) / 10);
  return el("li", {}, el("span", {}, t(`labs.class-${name}`)),
    el("span", { class: "lab-bar-room" }, bar), el("span", {}, `${percent} %`));
}

/**
 * The cells after a stroke: a box or the player on a goal stays on it; there is one player.
 * @param {string[]} cells
 * @param {number} at
 * @param {string} brush
 * @returns {string[]}
 */
function painted(cells, at, brush) {
  const isGoal = ".*+".includes(cells[at]);
  if (brush !== "@" && "@+".includes(cells[at])) return cells; // the player can only be moved
  const after = [...cells];
  if (brush === "@") {
    const player = cells.findIndex((cell) => "@+".includes(cell));
    after[player] = cells[player] === "+" ? "." : " ";
  }
  after[at] = { "#": "#", " ": " ", ".": ".", $: isGoal ? "*" : "$", "@": isGoal ? "+" : "@" }[brush] ?? brush;
  return after;
}
