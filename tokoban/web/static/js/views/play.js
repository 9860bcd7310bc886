/** The play view: the board with its tools, and the panels beside it. */

import { BoardView } from "../board/board_view.js";
import { Pointer } from "../board/pointer.js";
import { button, el } from "../shell/dom.js";
import { showNotices } from "../shell/notices.js";
import { number, t } from "../strings/index.js";
import { describeChange } from "./announcements.js";
import { openPlace, placeText, stepPlace } from "./places.js";
import { mountPanels } from "./play_panels.js";
import { playActions } from "./play_keys.js";

/** @typedef {import("../shell/app.js").App} App */

/** @type {import("../shell/app.js").View} */
export const view = { id: "play", titleKey: "play.title", mount };

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {string[]} params collection and number of the level, from 1
 * @returns {() => void}
 */
function mount(element, app, params) {
  const { session, settings } = app;
  const room = el("div", { class: "board-frame" });
  const boardBox = el(
    "div",
    {
      class: "board-room",
      id: "board",
      tabindex: "0",
      role: "application",
      "aria-label": t("play.board"),
      "aria-describedby": "board-help",
    },
    room,
    el("p", { class: "for-readers", id: "board-help" }, t("play.board-help")),
  );
  const head = new Head(app);
  const notices = el("div", { class: "notices", role: "status" });
  const toolbar = tools(app);
  const main = el("div", { class: "play-main" }, head.element, notices, boardBox, toolbar.element);
  const side = el("div", { class: "side" });
  element.append(el("div", { class: "play" }, main, side));

  const board = new BoardView(room);
  session.view = board;
  board.pace = settings.pace;
  const pointer = new Pointer(board, session, {
    optimal: () => settings.get("paths"),
    showsReachable: () => settings.get("showsReachable"),
    avoidsDead: () => settings.get("avoidsDead"),
    onPick: (square, count) => {
      const [row, column] = session.game.board.place(square);
      app.announce(t("say.picked", { row: row + 1, column: column + 1, count }));
    },
  });

  const refresh = () => {
    head.refresh();
    toolbar.refresh();
  };
  const abort = new AbortController();
  const { signal } = abort;
  session.addEventListener(
    "level",
    () => {
      board.facing = "d";
      board.show(session.game.board, { marks: session.marks });
      refresh();
    },
    { signal },
  );
  session.addEventListener(
    "change",
    (event) => {
      const { from, to, isJump } = /** @type {CustomEvent} */ (event).detail;
      const { moves, board: now } = session.game;
      if (isJump) board.show(now);
      else if (to >= from) board.follow(now, moves.slice(from, to), false);
      else board.follow(now, moves.slice(to, from), true);
      refresh();
      if (from !== to) app.announce(describeChange(session.game, from, to));
    },
    { signal },
  );
  session.addEventListener("marks", () => board.setMarks(session.marks), { signal });
  session.addEventListener("marks", () => toolbar.refresh(), { signal });
  app.addEventListener("theme", () => board.resize(), { signal });
  settings.addEventListener("change", () => (board.pace = settings.pace), { signal });
  showNotices(notices, app, signal);
  const removeKeys = app.keys.add(playActions(app, board));
  const unmountPanels = mountPanels(side, app);

  if (session.level) board.show(session.game.board, { marks: session.marks });
  refresh();
  openPlace(app, params);
  return () => {
    abort.abort();
    pointer.destroy();
    removeKeys();
    unmountPanels();
    board.destroy();
    session.view = null;
    session.keep();
  };
}

/** Title, place and counters. */
class Head {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._title = el("h1");
    this._place = el("p", { class: "soft" });
    this._moves = counter(t("play.moves"));
    this._pushes = counter(t("play.pushes"));
    this.element = el(
      "div",
      { class: "play-head" },
      el(
        "div",
        { class: "row" },
        button({ label: t("play.previous"), icon: "previous", run: () => stepPlace(app, -1) }),
        button({ label: t("play.all-levels"), icon: "list", run: () => app.open("levels") }),
        button({ label: t("play.next"), icon: "next", run: () => stepPlace(app, 1) }),
      ),
      el("div", { class: "play-title" }, this._title, this._place),
      el("dl", { class: "counters" }, this._moves.element, this._pushes.element),
    );
  }

  refresh() {
    const { session } = this._app;
    this._title.textContent = session.level
      ? session.level.title || t("play.untitled")
      : t("play.no-level");
    this._title.title = this._title.textContent;
    placeText(this._app).then((text) => (this._place.textContent = text));
    const { bestByMoves, bestByPushes } = session.bests;
    this._moves.show(session.game.at, bestByMoves?.length);
    this._pushes.show(
      session.game.numPushes,
      bestByPushes && [...bestByPushes].filter((letter) => letter < "a").length,
    );
  }
}

/** @param {string} label */
function counter(label) {
  const value = el("span");
  const best = el("small");
  const element = el("div", { class: "counter" }, el("dt", {}, label), el("dd", {}, value, " ", best));
  return {
    element,
    /** @param {number} now @param {number | undefined} bestOne */
    show(now, bestOne) {
      value.textContent = number(now);
      best.textContent = bestOne === undefined ? "" : t("play.best", { count: bestOne });
    },
  };
}

/** @param {App} app */
function tools(app) {
  const { session } = app;
  const restart = button({
    label: t("play.restart"),
    icon: "restart",
    run: () => session.game.restart(),
  });
  const undo = button({
    label: t("play.undo"),
    icon: "undo",
    text: true,
    run: () => session.game.undo(),
  });
  const redo = button({
    label: t("play.redo"),
    icon: "redo",
    text: true,
    run: () => session.game.redo(),
  });
  const marks = button({ label: t("play.marks"), icon: "eye", run: () => session.toggleMarks() });
  const shown = app.settings.get("showsArrows");
  const arrows = el(
    "div",
    { class: `arrow-pad ${shown === "auto" ? "auto" : shown === "yes" ? "shown" : ""}` },
    ...["u", "l", "d", "r"].map((letter) => {
      const icon = { u: "up", l: "left", d: "down", r: "right" }[letter];
      const label = t(`play.move-${letter}`);
      const arrow = button({ label, icon, run: () => session.game.push(letter) });
      arrow.dataset.move = letter;
      return arrow;
    }),
  );
  return {
    element: el(
      "div",
      { class: "stack" },
      el("div", { class: "toolbar" }, restart, undo, redo, marks),
      arrows,
    ),
    refresh() {
      const { game } = session;
      restart.disabled = undo.disabled = game.at === 0;
      redo.disabled = game.at === game.moves.length;
      marks.setAttribute("aria-pressed", String(session.marksHidden));
    },
  };
}
