/** The play view: the board with its tools, and the panels beside it. */

import { BoardView } from "../board/board_view.js";
import { KeyboardPick } from "../board/keyboard_pick.js";
import { numbersOf } from "../board/outline.js";
import { Pointer } from "../board/pointer.js";
import { el } from "../shell/dom.js";
import { showNotices } from "../shell/notices.js";
import { titleText } from "../shell/sentences.js";
import { t } from "../strings/index.js";
import { describeChange } from "./announcements.js";
import { MISSING, nextUnsolved, openPlace, placeText } from "./places.js";
import { Head } from "./play_head.js";
import { playActions } from "./play_keys.js";
import { mountPanels } from "./play_panels.js";
import { tools } from "./play_tools.js";

/** @typedef {import("../shell/app.js").App} App */

/** The owner of the notice of a solution. */
const SOLVED = "solved";

/** @type {import("../shell/app.js").View} */
export const view = { id: "play", titleKey: "play.title", mount };

/** @type {import("../shell/app.js").View["mount"]} */
function mount(element, app, params, signal) {
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
  const notices = el("div", { class: "stack notices", role: "status" });
  const main = el("div", { class: "play-main" }, head.element, notices, boardBox);
  const side = el("div", { class: "card side" });
  element.append(el("div", { class: "play" }, main, side));

  const board = new BoardView(room);
  session.view = board;
  const adopt = () => {
    board.pace = settings.pace;
    board.showsNumbers = settings.get("showsNumbers");
    board.turns = settings.get("turns");
  };
  adopt();
  const picking = {
    optimal: () => settings.get("paths"),
    avoidsDead: () => settings.get("avoidsDead"),
    onPick: (/** @type {number} */ square, /** @type {number} */ count) =>
      app.announce(t("say.picked", { ...numbersOf(session.game.board, square), count })),
    onWalks: (/** @type {number} */ count) => app.announce(t("say.walks", { count })),
  };
  const pointer = new Pointer(board, session, picking, signal);

  const keyboardPick = new KeyboardPick(pointer, session, (text) => app.announce(text), signal);
  const actions = playActions(app, board, pointer, keyboardPick);
  const toolbar = tools(app, actions);
  const moves = el("p", { class: "on-paper mono" });
  main.append(toolbar.element, moves);
  const refresh = () => {
    head.refresh();
    moves.textContent = session.game.played;
    toolbar.refresh();
  };
  /** @param {EventTarget} sender @param {string} name @param {(detail: any) => void} run */
  const on = (sender, name, run) => {
    const take = (/** @type {any} */ event) => run(event.detail);
    sender.addEventListener(name, take, { signal });
  };
  on(session, "level", () => {
    board.facing = "d";
    board.show(session.game.board, { marks: session.marks });
    for (const owner of [SOLVED, MISSING]) app.notify(owner, null);
    head.refreshLevel();
    refresh();
  });
  on(session, "change", ({ from, to, isJump }) => {
    const { moves, board: now } = session.game;
    if (isJump) board.show(now);
    else if (to >= from) board.follow(now, moves.slice(from, to), false);
    else board.follow(now, moves.slice(to, from), true);
    refresh();
    const seenAs = (/** @type {string} */ direction) => board.seenAs(direction);
    if (from !== to) app.announce(describeChange(session.game, from, to, seenAs));
    if (!now.isSolved()) app.notify(SOLVED, null);
  });
  on(session, "marks", () => {
    board.setMarks(session.marks);
    toolbar.refresh();
  });
  on(session, "known", () => head.refresh());
  on(session, "solved", ({ isBest }) => {
    tellSolved(app, isBest);
    head.refresh();
  });
  on(app, "theme", () => board.resize());
  on(window, "beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    board.resize();
  });
  on(window, "afterprint", () => app.applyTheme());
  on(settings, "change", () => {
    adopt();
    board.resize();
    toolbar.refresh();
  });
  showNotices(notices, app, signal);
  app.keys.add(actions, signal);

  if (session.level) board.show(session.game.board, { marks: session.marks });
  head.refreshLevel();
  refresh();
  // What they say is of the level of the address, not of the one that was open before.
  openPlace(app, params).then(() => {
    if (signal.aborted) return;
    mountPanels(side, app, signal);
    if (session.game.board.isSolved()) tellSolved(app, false);
    tellLevel(app, signal);
  });
  if (document.activeElement === element) boardBox.focus({ preventScroll: true });
  signal.addEventListener("abort", () => {
    app.notify(SOLVED, null);
    board.destroy();
    session.view = null;
    session.keep();
  });
}

/** Says which level is open, also to the browser. @param {App} app @param {AbortSignal} signal */
async function tellLevel(app, signal) {
  const { level, place } = app.session;
  const at = await placeText(app);
  if (!level || signal.aborted) return;
  const told = [titleText(level.title, place?.collection), at].filter(Boolean).join(", ");
  app.announce(told);
  document.title = `${told} – tokoban`;
}

/** @param {App} app @param {boolean} isBest */
function tellSolved(app, isBest) {
  const { at, numPushes, isOwn } = app.session.game;
  const parts = [t("play.solved", { moves: at, pushes: numPushes })];
  if (isBest) parts.push(t("play.solved-best"));
  if (!isOwn) parts.push(t("play.solved-given"));
  app.notify(SOLVED, {
    text: parts.join(" "),
    kind: "good",
    actions: [
      { label: t("play.next-unsolved"), run: () => nextUnsolved(app) },
      { label: t("play.solved-again"), run: () => app.session.game.restart() },
    ],
  });
}
