/** Rollouts, beam, best-first and the classical solver on one level, with what each spends. */

import { BoardView } from "../board/board_view.js";
import { JobButton } from "../jobs/job_button.js";
import { wireBoard } from "../jobs/latest_job.js";
import { Board, advance } from "../rules/board.js";
import { el } from "../shell/dom.js";
import { reasonText } from "../shell/sentences.js";
import { number, t } from "../strings/index.js";

/** @typedef {import("../game/session.js").Session} Session */

const METHODS = ["rollouts", "beam", "best-first", "classical"];

export class RacePart {
  /** @param {Session} session */
  constructor(session) {
    this._session = session;
    /** The moves played before the race: its solutions go on from there. */
    this._played = "";
    this._job = new JobButton({
      kind: "race",
      start: "race.start",
      stop: "watch.stop",
      stopped: "watch.stopped",
      doing: "race.running",
      class: "primary",
      begin: () => this._begin(),
      take: (event) => {
        this._lanes.get(event.method)?.take(event);
        if (event.moves) session.addSolution(this._played + event.moves);
      },
      end: (done) => done && (this._job.status.textContent = t("race.over")),
    });
    this._lanes = new Map(METHODS.map((method) => [method, new Lane(method)]));
    this._body = el("div", { class: "lanes", hidden: true });
    this._body.append(...[...this._lanes.values()].map(({ element }) => element));
    this.element = el(
      "section",
      { class: "stack" },
      el("h3", {}, t("race.title")),
      el("p", { class: "soft" }, t("race.about")),
      el("div", { class: "row" }, this._job.element),
      this._job.status,
      this._body,
    );
    this._abort = new AbortController();
    session.addEventListener("level", () => this._clear(), { signal: this._abort.signal });
  }

  destroy() {
    this._abort.abort();
    this._job.stop();
    for (const lane of this._lanes.values()) lane.destroy();
  }

  _clear() {
    this._job.stop();
    this._body.hidden = true;
  }

  _begin() {
    const { board, played } = this._session.game;
    this._played = played;
    this._body.hidden = false;
    for (const lane of this._lanes.values()) lane.begin(board);
    return { board: wireBoard(board) };
  }
}

/** One search of the race. */
class Lane {
  /** @param {string} method */
  constructor(method) {
    this._room = el("div", { class: "row-board" });
    /** @type {BoardView | null} */
    this._view = null;
    /** @type {Board | null} */
    this._start = null;
    this._state = el("p");
    this._spent = el("p", { class: "soft" });
    this.element = el(
      "div",
      { class: "card lane" },
      el("h4", {}, t(`watch.${method}`)),
      this._room,
      this._state,
      this._spent,
    );
  }

  /** @param {Board} board */
  begin(board) {
    this._view ??= new BoardView(this._room, { isStatic: true });
    this._view.show(board);
    this._start = board;
    this._state.textContent = t("race.waiting");
    this._spent.textContent = "";
  }

  /** @param {any} event */
  take(event) {
    if (event.rows?.length) this._view?.show(Board.fromRows(event.rows[0].board.split("\n")));
    const text = stateText(event);
    if (text) this._state.textContent = text;
    if (event.moves && this._start) this._view?.show(advance(this._start, event.moves).board);
    const parts = [];
    if (event.num_evaluated) parts.push(t("race.evaluated", { count: event.num_evaluated }));
    if (event.num_expansions) parts.push(t("race.expanded", { count: event.num_expansions }));
    if (event.elapsed_s !== undefined) {
      parts.push(t("race.seconds", { seconds: number(Math.round(100 * event.elapsed_s) / 100) }));
    }
    if (parts.length) this._spent.textContent = parts.join(" · ");
  }

  destroy() {
    this._view?.destroy();
  }
}

/** @param {any} event @returns {string} empty for news of a search that goes on */
function stateText({ status, reason, num_moves: moves, num_pushes: pushes }) {
  if (status === "running") return t("watch.searching");
  if (status === "solved") return t("watch.solved", { moves, pushes });
  if (status === "unsolvable") return t("watch.unsolvable");
  if (status === "gave up") return t("watch.gave-up", { reason: reasonText(reason) });
  return status === "refused" ? t("error.refused", { message: reason }) : "";
}
