/** New levels by size and difficulty, kept as a collection in the browser. */

import { JobButton } from "../jobs/job_button.js";
import { choice, inRow, section } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @typedef {import("../shell/app.js").App} App */

const SIZES = [7, 8, 9, 10, 12, 14];
const BOXES = [1, 2, 3, 4, 5, 6];
const NUMBERS = [1, 5, 10, 20];
const DIFFICULTIES = ["any", "easy", "medium", "hard", "expert"];
/** The owner of the notice that levels are made. */
const MADE = "made";
const MAX_SEED = 2 ** 32 - 200;

export class GeneratePart {
  /** @param {App} app @param {AbortSignal} signal */
  constructor(app, signal) {
    this._app = app;
    this._job = new JobButton({
      kind: "generate",
      signal,
      start: "work.generate-start",
      begin: () => this._begin(),
      take: (event) => {
        if (event.event !== "answer") return;
        this._levels.push(event.level);
        this._job.status.textContent = t("work.generated", { count: this._levels.length });
      },
      end: () => this._finish(),
    });
    this._values = { size: 9, boxes: 3, count: 5, difficulty: "any" };
    /** @type {import("../game/store.js").Level[]} */
    this._levels = [];
    /** The name of their collection. */
    this._name = "";
    /** The game when it was begun. */
    this._played = "";
    signal.addEventListener("abort", () => {
      this._keep();
      app.notify(MADE, null);
    });
    this.element = section(
      t("work.generate"),
      this._choice("size", SIZES, (size) => t("work.size", { size })),
      this._choice("boxes", BOXES, String),
      this._choice("count", NUMBERS, String),
      this._choice("difficulty", DIFFICULTIES, (name) => t(`work.difficulty-${name}`)),
      inRow(this._job.element),
      this._job.status,
    );
  }

  /**
   * @param {"size" | "boxes" | "count" | "difficulty"} name
   * @param {any[]} values
   * @param {(value: any) => string} text
   */
  _choice(name, values, text) {
    return choice({
      label: t(`work.generate-${name}`),
      options: values.map((value) => [String(value), text(value)]),
      value: String(this._values[name]),
      change: (chosen) => {
        const value = name === "difficulty" ? chosen : Number(chosen);
        this._values = { ...this._values, [name]: value };
      },
    });
  }

  _begin() {
    this._levels = [];
    this._app.notify(MADE, null);
    this._played = this._app.session.game.played;
    const { size, boxes, count, difficulty } = this._values;
    this._name = t("work.generated-name", { size, boxes });
    return {
      num_levels: count,
      seed: Math.floor(Math.random() * MAX_SEED),
      rows: size,
      columns: size,
      num_boxes: boxes,
      difficulty: difficulty === "any" ? null : difficulty,
    };
  }

  /** Keeps what there is and opens the first level, unless the player has gone on with a game. */
  _finish() {
    const text = (this._job.status.textContent = t("work.generated", { count: this._levels.length }));
    const id = this._keep();
    if (!id) return;
    const run = () => this._app.open("play", [id, 1]);
    if (this._app.session.game.played === this._played) run();
    else this._app.notify(MADE, { text, actions: [{ label: t("work.play-made"), run }] });
  }

  /** @returns {string} the id of the collection; empty where there are no levels */
  _keep() {
    if (!this._levels.length) return "";
    const { id, isKept } = this._app.collections.add(this._name, this._levels);
    if (!isKept) this._app.toast(t("import.not-kept"));
    this._levels = [];
    return id;
  }
}
