/** The steps of a proof: text in the panel and beside the board, with marks, and small positions. */

import { BoardView } from "../board/board_view.js";
import { button, el, inRow } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @typedef {import("./certificate_steps.js").Step} Step */
/** @typedef {import("../shell/app.js").Notice} Notice */

const OWNER = "why";

export class StepView {
  /**
   * @param {import("../game/session.js").Session} session
   * @param {() => void} change is called when another step is shown, or none
   */
  constructor(session, change) {
    this._session = session;
    this._change = change;
    /** @type {Step[]} */
    this._steps = [];
    this._at = 0;
    this._text = el("p");
    this._place = el("p", { class: "soft" });
    this._back = button({ label: t("why.previous"), icon: "previous", run: () => this._go(-1) });
    this._next = button({ label: t("why.next"), icon: "next", run: () => this._go(1) });
    this._slider = el("input", { type: "range", min: "0", "aria-label": t("why.positions") });
    this._slider.addEventListener("input", () => this._showPosition());
    this._room = el("div", { class: "small-board" });
    /** @type {BoardView | null} */
    this._view = null;
    this.element = el(
      "div",
      { class: "card stack why", hidden: true },
      inRow(
        this._back,
        this._next,
        this._place,
        el("span", { class: "grow" }),
        button({ label: t("app.close"), icon: "close", class: "plain", run: () => this.close() }),
      ),
      this._text,
      this._room,
      this._slider,
    );
  }

  get isOpen() {
    return this._steps.length > 0;
  }

  /** The step that is shown, for those who do not see the panel. @returns {Notice} */
  get notice() {
    const { text } = this._steps[this._at];
    const actions = [this._back, this._next].map(({ title: label, disabled }, index) => {
      return { label, disabled, icon: ["previous", "next"][index], run: () => this._go(2 * index - 1) };
    });
    return { text, kind: "bad", actions: this._steps.length > 1 ? actions : [] };
  }

  /** @param {Step[]} steps */
  open(steps) {
    this._steps = steps;
    this._at = 0;
    this.element.hidden = false;
    this._show();
  }

  close() {
    this._steps = [];
    this.element.hidden = true;
    this._session.clearMarks(OWNER);
    this._view?.destroy();
    this._view = null;
    this._change();
  }

  /** @param {number} by */
  _go(by) {
    this._at = Math.max(0, Math.min(this._steps.length - 1, this._at + by));
    this._show();
  }

  _show() {
    const { text, marks, boards } = this._steps[this._at];
    this._text.textContent = text;
    this._place.textContent = t("why.step", { number: this._at + 1, count: this._steps.length });
    this._back.disabled = this._at === 0;
    this._next.disabled = this._at === this._steps.length - 1;
    this._session.setMarks(OWNER, marks);
    this._room.hidden = this._slider.hidden = !boards;
    if (boards) {
      this._slider.max = String(boards.length - 1);
      this._view ??= new BoardView(this._room, { isStatic: true });
      this._showPosition();
    }
    this._change();
  }

  _showPosition() {
    const { boards } = this._steps[this._at];
    const board = boards?.[Number(this._slider.value)];
    if (board) this._view?.show(board);
  }
}
