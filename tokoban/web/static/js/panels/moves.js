/** The moves: line, replay, best solutions, snapshots, typed moves, board and notes as text. */

import { Replay } from "../game/replay.js";
import { shownName, snapshotName } from "../game/session.js";
import { boxFigures } from "../rules/figures.js";
import { parseLurd } from "../rules/text.js";
import { afterPaint } from "../shell/after_paint.js";
import { confirm } from "../shell/dialog.js";
import { button, el, inRow, inStack, setIcon } from "../shell/dom.js";
import { t } from "../strings/index.js";
import { aboutLevel } from "./about_level.js";
import { boardTable } from "./board_table.js";
import { solutionRows } from "./best_solutions.js";

/** @typedef {import("../game/session.js").Session} Session */
/** @typedef {import("../shell/app.js").App} App */
/** @typedef {{element: HTMLElement, refresh: () => void}} Part */

/** @type {import("../shell/app.js").Panel} */
export const panel = { id: "moves", titleKey: "moves.title", mount };

/** @type {import("../shell/app.js").Panel["mount"]} */
function mount(element, session, app, signal) {
  const replay = new Replay(session, () => app.settings.pace.stepMs, signal);
  const parts = [
    timeline(session, replay),
    movesLine(session),
    solutionRows(session, app),
    snapshots(session),
    typing(session),
    asText(session),
    aboutLevel(session),
  ];
  element.append(inStack(...parts.map((part) => part.element)));
  const refresh = () => parts.forEach((part) => part.refresh());
  // The move is painted first.
  const refreshSoon = afterPaint(refresh);
  for (const name of ["change", "level", "known"]) {
    session.addEventListener(name, refreshSoon, { signal });
  }
  replay.addEventListener("change", refreshSoon);
  const actions = [
    { id: "replay", titleKey: "moves.replay", keys: ["Space"], run: () => replay.toggle() },
    { id: "snapshot", titleKey: "moves.snapshot", keys: ["k"], run: () => keepSnapshot(session) },
  ];
  app.keys.add(actions, signal);
  refresh();
}

/** @param {Session} session @param {Replay} replay @returns {Part} */
function timeline(session, replay) {
  const slider = el("input", {
    type: "range",
    class: "wide",
    min: "0",
    "aria-label": t("moves.slider"),
    "data-own-keys": true,
  });
  slider.addEventListener("input", () => session.game.goTo(Number(slider.value)));
  const place = el("span", { class: "soft" });
  const figures = el("p", { class: "soft" });
  const play = button({ label: t("moves.replay"), icon: "play", run: () => replay.toggle() });
  const element = inStack(
    slider,
    inRow(
      button({ label: t("moves.first"), icon: "first", run: () => session.game.restart() }),
      button({
        label: t("play.undo-push"),
        icon: "previous",
        run: () => session.game.undoPush(),
      }),
      play,
      button({ label: t("play.redo-push"), icon: "next", run: () => session.game.redoPush() }),
      button({
        label: t("play.end"),
        icon: "last",
        run: () => session.game.goTo(session.game.moves.length),
      }),
      place,
    ),
    figures,
  );
  return {
    element,
    refresh() {
      const { at, moves, played } = session.game;
      slider.max = String(moves.length);
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", t("moves.place", { at, count: moves.length }));
      place.textContent = t("moves.place", { at, count: moves.length });
      figures.textContent = t("play.box-figures", boxFigures(played));
      if (replay.isPlaying) setIcon(play, "pause", t("moves.pause"));
      else setIcon(play, "play", t("moves.replay"));
    },
  };
}

/** @param {Session} session @returns {Part} */
function movesLine(session) {
  const played = el("span");
  const now = el("span", { class: "now" });
  const ahead = el("span", { class: "ahead" });
  const none = el("span", { class: "soft" }, t("moves.none"));
  const line = el(
    "p",
    { class: "moves-line mono", tabindex: "0", "aria-label": t("moves.line") },
    played,
    now,
    ahead,
    none,
  );
  const left = button({ label: "", text: true, run: () => session.game.returnToLeftLine() });
  return {
    element: inStack(line, left),
    refresh() {
      const { at, moves, leftLines } = session.game;
      played.textContent = moves.slice(0, Math.max(0, at - 1));
      now.textContent = at ? moves[at - 1] : "";
      ahead.textContent = moves.slice(at);
      none.hidden = moves.length > 0;
      const last = leftLines[leftLines.length - 1];
      left.hidden = !last;
      const text = last ? t("moves.left-line", { count: last.moves.length }) : "";
      if (left.lastChild) left.lastChild.textContent = text;
      // The line is in sight where the game is, in a box of its own.
      line.scrollTop = now.offsetTop - line.offsetTop - line.clientHeight / 2;
    },
  };
}

/** @param {Session} session */
function keepSnapshot(session) {
  if (session.level) session.game.addSnapshot(snapshotName(session.game.played));
}

/** @param {Session} session @returns {Part} */
function snapshots(session) {
  const list = el("ul", { class: "list", "aria-label": t("moves.snapshots") });
  const element = inStack(
    button({ label: t("moves.snapshot"), icon: "camera", text: true, run: () => keepSnapshot(session) }),
    list,
  );
  return {
    element,
    refresh() {
      const { game } = session;
      list.hidden = !game.snapshots.length;
      list.replaceChildren(
        ...game.snapshots.map((snapshot, index) => {
          const name = shownName(snapshot);
          return el(
            "li",
            {},
            button({ label: name, run: () => game.openSnapshot(index) }),
            button({
              label: t("moves.remove-snapshot", { name }),
              icon: "remove",
              class: "plain",
              run: () =>
                confirm(t("moves.remove-ask", { name }), () => game.removeSnapshot(index)),
            }),
          );
        }),
      );
    },
  };
}

/** @param {Session} session @returns {Part} */
function typing(session) {
  const input = el("input", {
    type: "text",
    id: "typed-moves",
    class: "mono",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    placeholder: "3r U 2l",
  });
  const told = el("p", { class: "soft", role: "status" });
  const run = () => {
    const moves = parseLurd(input.value);
    if (!moves) {
      told.textContent = t("moves.no-lurd");
      return;
    }
    const { length: made } = session.game.play(moves);
    const count = moves.length;
    told.textContent = t("moves.made", { made, count });
    if (made === count) input.value = "";
    else told.textContent += ` ${t("import.moves-illegal", { number: made + 1, count })}`;
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") run();
  });
  const element = inStack(
    el("label", { for: "typed-moves" }, t("moves.type")),
    inRow(input, button({ label: t("moves.make"), run })),
    told,
  );
  return { element, refresh: () => {} };
}

/** @param {Session} session @returns {Part} */
function asText(session) {
  const room = el("div", { class: "grid-room", tabindex: "0" });
  const details = el("details", {}, el("summary", {}, t("moves.as-text")), room);
  const refresh = () => {
    if (details.open && session.level) room.replaceChildren(boardTable(session.game.board));
  };
  details.addEventListener("toggle", refresh);
  return { element: details, refresh };
}
