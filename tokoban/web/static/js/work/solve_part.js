/** Solves the position, or shortens the player's solution, and shows each better answer. */

import { JobButton } from "../jobs/job_button.js";
import { wireBoard } from "../jobs/latest_job.js";
import { button, choice, el, inRow, section } from "../shell/dom.js";
import { reasonText } from "../shell/sentences.js";
import { number, t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

/** Asked for by the player; each may be cancelled at any time. */
const LIMITS_S = [10, 60, 600];

/**
 * A job whose answers are solutions. `given` is what it gets besides the objective and the limit,
 * null where it cannot start, which the string `none` explains; `before` has the moves of the game
 * that come before an answer's.
 * @typedef {{kind: string, objectives: string[], none?: string, before: (session: Session) => string,
 *   given: (session: Session, objective: string) => Record<string, any> | null}} Task
 */

/** @type {Task} */
export const SOLVE = {
  kind: "solve",
  objectives: ["best", "any", "pushes", "moves"],
  given: ({ level, game }) => level && { board: wireBoard(game.board) },
  before: ({ game }) => game.played,
};

/** @type {Task} */
export const OPTIMISE = {
  kind: "optimise",
  objectives: ["moves", "pushes"],
  given({ level, game, bests }, objective) {
    const solution = objective === "pushes" ? bests.bestByPushes : bests.bestByMoves;
    return level && solution !== undefined ? { board: wireBoard(game.start), solution } : null;
  },
  before: () => "",
  none: "work.optimise-none",
};

export class SolutionPart {
  /** @param {Session} session @param {AbortSignal} signal @param {Task} task */
  constructor(session, signal, task) {
    const { kind, objectives } = task;
    this._session = session;
    this._task = task;
    this._job = new JobButton({
      kind,
      signal,
      session,
      start: `work.${kind}-start`,
      class: "primary",
      statusClass: "",
      begin: () => this._begin(),
      take: (event) => {
        if (event.event === "answer") this._take(event);
        if (event.event === "progress") this._progress.textContent = progressText(event);
      },
      end: (done) => {
        this._progress.textContent = "";
        if (!done) return;
        this._take(done);
        this._job.status.textContent = doneText(done);
      },
      refresh: () => this._refresh(),
    });
    this._objective = objectives[0];
    this._limit = LIMITS_S[0];
    /** The moves played before the position that is solved. */
    this._played = "";
    /** The last answer with a solution. @type {any} */
    this._best = null;
    this._progress = el("p", { class: "soft" });
    this._list = el("ol", { class: "answers" });
    this._show = button({ label: t("work.show"), run: () => this._takeOver() });
    this._about = el("p", { class: "soft" });
    this.element = section(
      t(`work.${kind}`),
      choice({
        label: t("work.objective"),
        options: objectives.map((name) => [name, t(`work.objective-${name}`)]),
        value: this._objective,
        change: (value) => (this._objective = value),
      }),
      choice({
        label: t("work.limit"),
        options: LIMITS_S.map((limit) => [String(limit), t("work.seconds", { seconds: limit })]),
        value: String(this._limit),
        change: (value) => (this._limit = Number(value)),
      }),
      this._about,
      inRow(this._job.element, this._show),
      this._job.status,
      this._progress,
      this._list,
    );
    session.addEventListener("level", () => this._clear(), { signal });
    for (const name of ["change", "known"]) {
      session.addEventListener(name, () => this._refresh(), { signal });
    }
    this._clear();
  }

  _clear() {
    this._best = null;
    this._progress.textContent = "";
    this._list.replaceChildren();
    this._job.stop();
  }

  _begin() {
    const args = this._task.given(this._session, this._objective);
    if (!args) return null;
    this._clear();
    this._played = this._task.before(this._session);
    const minimise = this._objective === "best" ? null : this._objective;
    return { ...args, minimise, time_limit_s: this._limit };
  }

  /** @param {any} answer */
  _take(answer) {
    if (answer.moves !== null && answer.moves !== undefined) {
      // An answer no shorter than the last one has proved something of it.
      const { num_moves: moves, num_pushes: pushes } = answer;
      const isNoShorter = moves === this._best?.num_moves && pushes === this._best.num_pushes;
      if (isNoShorter) this._list.firstChild?.remove();
      this._best = answer;
      this._session.addSolution(this._played + answer.moves);
      this._list.prepend(el("li", {}, solutionText(answer)));
    }
    if (!this._played) {
      this._session.setBounds({ moves: answer.at_least_moves, pushes: answer.at_least_pushes });
    }
    const bounds = boundsText(answer);
    if (bounds) this._progress.textContent = bounds;
    this._refresh();
  }

  _refresh() {
    const { given, none } = this._task;
    const canStart = given(this._session, this._objective) !== null;
    this._job.element.disabled = !this._job.isRunning && !canStart;
    this._show.hidden = !this._best;
    this._about.textContent = this._job.element.disabled && none ? t(none) : "";
  }

  _takeOver() {
    this._session.showSolution(this._played + this._best.moves, this._played.length);
  }
}

/** @param {any} answer @returns {string} */
function solutionText({ num_moves: moves, num_pushes: pushes, optimum, elapsed_s: elapsed }) {
  const seconds = number(elapsed, 2);
  const text = t("work.solution", { figures: t("play.figures", { moves, pushes }), seconds });
  return optimum ? `${text} ${t(`work.optimum-${optimum}`)}` : text;
}

/** @param {any} answer @returns {string} what is proved; empty for nothing */
function boundsText({ at_least_moves: moves, at_least_pushes: pushes }) {
  const parts = [];
  if (moves) parts.push(t("work.at-least-moves", { moves }));
  if (pushes) parts.push(t("work.at-least-pushes", { pushes }));
  return parts.length ? t("work.proved", { bounds: parts.join(", ") }) : "";
}

/** @param {any} event @returns {string} */
function progressText({ num_expansions: count, elapsed_s: elapsed, objective, at_least: least }) {
  const text = t("work.progress", { count, seconds: number(Math.round(elapsed)) });
  return `${text} ${boundsText({ [`at_least_${objective}`]: least })}`;
}

/** @param {any} done @returns {string} */
function doneText({ status, optimum, reason }) {
  if (status === "unsolvable") return t("work.unsolvable");
  if (status === "gave up") return t("work.gave-up", { reason: reasonText(reason) });
  if (optimum) return t(`work.done-${optimum}`);
  return reason ? t("work.done-reason", { reason: reasonText(reason) }) : t("work.done");
}
