/** The panel that explains: is it lost and why, hints, and the line of the pushes left. */

import { solutionsOf } from "../game/store.js";
import { countPushes } from "../rules/board.js";
import { button, el, inRow, inStack, relabel, section } from "../shell/dom.js";
import { t } from "../strings/index.js";
import { Chart } from "../understand/chart.js";
import { certificateSteps, staticSteps } from "../understand/certificate_steps.js";
import { GameLine } from "../understand/game_line.js";
import { Hints, MOST } from "../understand/hints.js";
import { LostWatch } from "../understand/lost.js";
import { StepView } from "../understand/step_view.js";

/**
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../shell/app.js").App} App
 */

/** @type {import("../shell/app.js").Panel} */
export const panel = { id: "understand", titleKey: "understand.title", mount };

/** @type {import("../shell/app.js").Panel["mount"]} */
function mount(element, session, app, signal) {
  const lost = lostPart(session, app, signal);
  const hints = hintPart(session, app, lost.watch, signal);
  const line = linePart(session, lost.watch, signal);
  element.append(inStack(lost.element, hints.element, line.element));
  const actions = [
    { id: "hint", titleKey: "hint.more", keys: ["h"], run: hints.more },
    { id: "why", titleKey: "why.why", keys: ["e"], run: lost.explain },
    { id: "back", titleKey: "lost.back", keys: ["b"], run: lost.goBack },
  ];
  app.keys.add(actions, signal);
}

/**
 * Whether the position is lost, and why.
 * @param {Session} session @param {App} app @param {AbortSignal} signal
 */
function lostPart(session, app, signal) {
  const watch = new LostWatch(session, signal);
  const status = el("p", { class: "note" });
  const back = button({ label: t("lost.back"), run: () => goBack() });
  const why = button({ label: t("why.why"), class: "primary", run: () => explain() });
  const steps = new StepView(session, () => refresh());
  const element = el(
    "section",
    { class: "stack", "aria-label": t("lost.title") },
    status,
    inRow(why, back),
    steps.element,
  );
  let wasLost = false;
  /** @type {import("../understand/lost.js").Proved | null} */
  let explained = null;

  const goBack = () => {
    if (!watch.lostAt) return;
    // The push that lost is the last of these moves; before it the player thinks again.
    steps.close();
    session.game.goTo(watch.lostAt - 1);
  };
  const explain = () => {
    if (!watch.isLost) return;
    document.getElementById(`tab-${panel.id}`)?.click();
    const { proved } = watch;
    if (proved && (session.game.at !== proved.moves.length || !watch.guilty.length)) {
      session.game.goTo(proved.moves.length);
    }
    showSteps();
  };
  const showSteps = () => {
    explained = watch.proved;
    if (watch.proved) steps.open(certificateSteps(watch.proved.certificate));
    else if (watch.static) steps.open(staticSteps(watch.static));
  };
  const refresh = () => {
    const { isLost, lostAt } = watch;
    if (steps.isOpen && !isLost) steps.close();
    // A proof that came while a static rule was explained says more.
    if (steps.isOpen && watch.proved && explained !== watch.proved) showSteps();
    const marks = watch.guilty.map((square) => ({ square, kind: "guilty" }));
    if (isLost) session.setMarks("lost", /** @type {any} */ (marks));
    else session.clearMarks("lost");
    const pushes = lostAt === null ? 0 : countPushes(session.game.moves.slice(0, lostAt));
    const text = lostText(watch, session, pushes);
    status.textContent = text;
    status.hidden = !text;
    status.className = `note ${isLost ? "bad" : pushesLeft(watch, session) === Infinity ? "" : "good"}`;
    why.hidden = !isLost;
    back.hidden = !isLost || !lostAt;
    if (isLost) {
      // On a phone the panel is below the board, out of sight.
      const { actions = [], ...notice } = steps.isOpen
        ? steps.notice
        : { text, kind: /** @type {const} */ ("bad"), actions: [{ label: t("why.why"), run: explain }] };
      if (lostAt) actions.push({ label: t("lost.back"), run: goBack });
      app.notify("lost", { ...notice, actions });
      if (!wasLost) app.announce(text);
    } else {
      app.notify("lost", null);
    }
    wasLost = isLost;
  };
  watch.addEventListener("change", refresh);
  session.addEventListener("known", refresh, { signal });
  refresh();
  signal.addEventListener("abort", () => {
    steps.close();
    session.clearMarks("lost");
    app.notify("lost", null);
  });
  return { element, watch, explain, goBack };
}

/** @param {LostWatch} watch @param {Session} session @param {number} pushes to the loss */
function lostText(watch, session, pushes) {
  if (!session.level) return "";
  if (session.game.board.isSolved()) return t("lost.solved");
  if (watch.proved) return pushes ? t("lost.proved", { pushes }) : t("lost.at-start");
  if (watch.static) return t(`lost.${watch.static.reason}`, { count: watch.static.boxes.length });
  const left = pushesLeft(watch, session);
  if (left < Infinity) return t("lost.solvable", { pushes: left });
  return t(watch.isSearching ? "lost.searching" : "lost.unknown");
}

/**
 * The pushes left of the solutions known through the position; infinite without one.
 * @param {LostWatch} watch @param {Session} session
 */
function pushesLeft(watch, { game, bests }) {
  const through = solutionsOf(bests).filter((moves) => moves.startsWith(game.played));
  const left = through.map((moves) => countPushes(moves) - game.numPushes);
  return Math.min(watch.pushesLeft ?? Infinity, ...left);
}

/**
 * Hints in grades.
 * @param {Session} session @param {App} app @param {LostWatch} watch @param {AbortSignal} signal
 */
function hintPart(session, app, watch, signal) {
  const hints = new Hints(session, signal, () => {
    const { bestByPushes, bestByMoves } = session.bests;
    return [bestByPushes, bestByMoves, watch.solution];
  });
  const more = () => hints.more();
  const text = el("p");
  const ask = button({ label: t("hint.more"), class: "primary", run: more });
  const element = section(t("hint.more"), text, inRow(ask));
  const refresh = () => {
    text.textContent = hints.text || t("hint.grades");
    const label = hints.grade === 0 ? "hint.more" : hints.grade < MOST ? "hint.next" : "hint.play";
    relabel(ask, t(label));
    ask.disabled = !session.level || session.game.board.isSolved();
    // Where the position is lost, a notice says so already.
    app.notify("hint", hints.text && !watch.isLost ? { text: hints.text } : null);
    // On a phone the board and the notice are not always in sight together.
    if (hints.grade) session.view?.container.scrollIntoView({ block: "nearest" });
    document.querySelector("[data-owner=hint]")?.scrollIntoView({ block: "nearest" });
  };
  hints.addEventListener("change", refresh);
  refresh();
  signal.addEventListener("abort", () => app.notify("hint", null));
  return { element, more };
}

/**
 * The line of the pushes left.
 * @param {Session} session @param {LostWatch} watch @param {AbortSignal} signal
 */
function linePart(session, watch, signal) {
  const line = new GameLine(session, signal);
  const chart = new Chart((at) => session.game.goTo(at));
  const about = el("p", { class: "soft" });
  const element = section(t("line.title"), chart.element, about);
  const refresh = () => {
    chart.show(session.game, line, watch.lineLostAt, watch.lineSolvableAt);
    about.textContent = line.refusal || t("line.legend");
  };
  line.addEventListener("change", refresh);
  watch.addEventListener("change", refresh);
  session.addEventListener("known", refresh, { signal });
  refresh();
  return { element };
}
