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

/** @type {import("../labs.js").Lab} */
export const lab = { id: "pictures", mount };

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
