/** Conway's Life: draw cells, let a network play, see its wrong cells and where a cell looks. */

import { button, choice, el, inRow, inStack } from "../../shell/dom.js";
import { t } from "../../strings/index.js";
import { GridEditor } from "./grid_editor.js";

const SIDE = 16;
const NUM_STEPS = 100; // of a run
const FRAME_MS = 140;
const RANDOM_DENSITY = 0.35;

/** @type {Record<string, string[]>} */
const PATTERNS = {
  glider: [".O.", "..O", "OOO"],
  "r-pentomino": [".OO", "OO.", ".O."],
  pulsar: [
    "..OOO...OOO..", ".............", "O....O.O....O", "O....O.O....O", "O....O.O....O",
    "..OOO...OOO..", ".............", "..OOO...OOO..", "O....O.O....O", "O....O.O....O",
    "O....O.O....O", ".............", "..OOO...OOO..",
  ],
};
const NOISES = ["0", "0.1", "0.2", "0.4"];

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.life": { en: "Life", de: "Life" },
  "labs.life-about": {
    en: "One attention layer plays Conway's Life on a torus of 16 by 16; all its answers are proved "
      + "right. Each cell attends to itself and its eight neighbours, hardly to others; living "
      + "neighbours get more weight than dead ones, which encodes how many are alive. Draw cells, "
      + "run, and point at a cell below.",
    de: "Eine Attention-Schicht spielt Conways Life auf einem Torus von 16 mal 16; dass alle Antworten "
      + "stimmen, ist bewiesen. Jede Zelle schaut auf sich und ihre acht Nachbarn, kaum auf andere; "
      + "lebende Nachbarn bekommen mehr Gewicht als tote, und das zeigt, wie viele leben. Zellen "
      + "zeichnen, laufen lassen und unten auf eine Zelle zeigen.",
  },
  "labs.life-grid": { en: "Cells", de: "Zellen" },
  "labs.cell-alive": {
    en: "row {row}, column {column}: alive", de: "Zeile {row}, Spalte {column}: lebendig",
  },
  "labs.cell-dead": { en: "row {row}, column {column}: dead", de: "Zeile {row}, Spalte {column}: tot" },
  "labs.run": { en: "Run", de: "Laufen lassen" },
  "labs.one-step": { en: "One step", de: "Ein Schritt" },
  "labs.life-count": {
    en: "Step {step}; wrong cells so far: {wrong}", de: "Schritt {step}; falsche Zellen bisher: {wrong}",
  },
  "labs.pattern-glider": { en: "Glider", de: "Gleiter" },
  "labs.pattern-r-pentomino": { en: "R-pentomino", de: "R-Pentomino" },
  "labs.pattern-pulsar": { en: "Pulsar", de: "Pulsar" },
  "labs.pattern-random": { en: "Random", de: "Zufall" },
  "labs.pattern-empty": { en: "Clear", de: "Leeren" },
  "labs.noise": { en: "Noise in the weights", de: "Rauschen in den Gewichten" },
  "labs.noise-about": {
    en: "With noise the proof no longer holds. A cross marks a cell that breaks the rules, given the "
      + "grid before; what follows from it is not counted again.",
    de: "Mit Rauschen gilt der Beweis nicht mehr. Ein Kreuz markiert eine Zelle, die nach den "
      + "Regeln anders sein müsste, gemessen am Gitter davor; Folgefehler zählen nicht noch einmal.",
  },
};

/** @type {import("../labs.js").Lab} */
export const lab = { id: "life", words, mount };

/** @type {import("../labs.js").Lab["mount"]} */
function mount(element, { app, newJob, showAttention, whenQuiet, signal }) {
  const [playing, looking] = [newJob(), newJob()];
  let alive = gridOf("glider");
  /** @type {Set<number>} */
  let wrong = new Set();
  let noise = "0";
  let brush = true;
  let step = 0;
  let numWrong = 0;
  /** @type {{rows: string[], wrong: [number, number][]}[]} */
  let frames = [];
  let timer = 0;

  const editor = new GridEditor({
    height: SIDE,
    width: SIDE,
    label: t("labs.life-grid"),
    classOf: (cell) => `${alive[cell] ? "alive" : ""} ${wrong.has(cell) ? "wrong" : ""}`,
    nameOf: (cell) =>
      t(alive[cell] ? "labs.cell-alive" : "labs.cell-dead", {
        row: Math.floor(cell / SIDE) + 1, column: (cell % SIDE) + 1,
      }),
    paint(cell, isFirst) {
      pause();
      if (isFirst) brush = !alive[cell];
      alive[cell] = brush;
      restart();
    },
  });
  const counter = el("p", { class: "soft" });
  const run = button({ label: t("labs.run"), text: true, class: "primary", run: toggle });
  const look = whenQuiet(async () => {
    const done = await looking.run("life_attention", { rows: rowsOf(alive), noise: Number(noise) });
    if (done) showAttention(done.panels);
  });

  function restart() {
    [wrong, step, numWrong] = [new Set(), 0, 0];
    show();
    look();
  }
  function show() {
    editor.refresh();
    counter.textContent = t("labs.life-count", { step, wrong: numWrong });
  }
  function next() {
    const frame = frames.shift();
    if (!frame) {
      if (!playing.isRunning) pause();
      return;
    }
    alive = frame.rows.flatMap((row) => [...row].map((cell) => cell === "O"));
    wrong = new Set(frame.wrong.map(([row, column]) => row * SIDE + column));
    step += 1;
    numWrong += wrong.size;
    show();
  }
  function pause() {
    if (timer === 0) return;
    playing.stop();
    clearInterval(timer);
    timer = 0;
    frames = [];
    run.textContent = t("labs.run");
    app.announce(counter.textContent ?? "");
    look();
  }
  function toggle() {
    if (timer) pause();
    else play(NUM_STEPS);
  }
  /** @param {number} steps */
  function play(steps) {
    frames = [];
    const args = { rows: rowsOf(alive), steps, noise: Number(noise) };
    playing.run("life", args, (event) => {
      if (event.event === "answer") frames.push(/** @type {any} */ (event));
    });
    run.textContent = t("moves.pause");
    timer = setInterval(next, FRAME_MS);
  }
  /** @param {boolean[]} cells */
  function begin(cells) {
    pause();
    alive = cells;
    restart();
  }

  const named = Object.keys(PATTERNS).map((name) =>
    button({ label: t(`labs.pattern-${name}`), text: true, run: () => begin(gridOf(name)) }));
  element.append(
    el("div", { class: "row lab-two" },
      editor.element,
      inStack(
        inRow(
          run,
          button({ label: t("labs.one-step"), text: true, run: () => { pause(); play(1); } })),
        counter,
        inRow(
          ...named,
          button({ label: t("labs.pattern-random"), text: true, run: () => begin(random()) }),
          button({ label: t("labs.pattern-empty"), text: true, run: () => begin(empty()) })),
        choice({
          label: t("labs.noise"),
          options: NOISES.map((value) => [value, t("work.percent", { percent: 100 * Number(value) })]),
          value: noise,
          change(value) {
            pause();
            noise = value;
            restart();
          },
        }),
        el("p", { class: "soft" }, t("labs.noise-about")))),
  );
  restart();
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** @returns {boolean[]} */
function empty() {
  return Array.from({ length: SIDE ** 2 }, () => false);
}

/** @returns {boolean[]} */
function random() {
  return Array.from({ length: SIDE ** 2 }, () => Math.random() < RANDOM_DENSITY);
}

/** @param {string} name of a pattern @returns {boolean[]} the pattern in the middle */
function gridOf(name) {
  const cells = empty();
  const rows = PATTERNS[name];
  const [top, left] = [rows.length, rows[0].length].map((size) => Math.floor((SIDE - size) / 2));
  rows.forEach((row, r) =>
    [...row].forEach((cell, c) => { cells[(top + r) * SIDE + left + c] = cell === "O"; }));
  return cells;
}

/** @param {boolean[]} cells @returns {string[]} */
function rowsOf(cells) {
  return Array.from({ length: SIDE }, (_, row) =>
    cells.slice(row * SIDE, (row + 1) * SIDE).map((cell) => (cell ? "O" : ".")).join(""));
}
