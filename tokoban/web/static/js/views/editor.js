/** The editor: draw a level, see what is wrong with it, play it, keep it. */

import { DrawingCanvas } from "../editor/canvas.js";
import { Checker } from "../editor/checker.js";
import {
  Draft,
  LEAST_SIZE,
  MOST_SIZE,
  emptyRoom,
  keepDrawing,
  keptDrawing,
} from "../editor/draft.js";
import { complaints } from "../editor/legality.js";
import { DRAWN } from "../shell/collections.js";
import { button, el, inRow, inStack } from "../shell/dom.js";
import { saveLevels } from "../shell/progress_files.js";
import { t } from "../strings/index.js";

/** @typedef {import("../shell/app.js").App} App */

/** @type {import("../shell/app.js").View["mount"]} */
export function mount(element, app, params, signal) {
  const kept = keptDrawing(app.store);
  const draft = new Draft(kept.rows);
  const canvas = new DrawingCanvas(draft, app, signal);
  const title = field("edit.name", kept.title);
  const author = field("edit.author", kept.author);
  const status = el("ul", { "aria-live": "polite" });
  const checker = new Checker(draft, signal);
  const size = sizePart(draft);

  /** @returns {import("../game/store.js").Level} */
  const level = () => ({
    title: title.value.trim() || t("edit.untitled"),
    author: author.value.trim(),
    rows: draft.rows,
    solutions: checker.solution ? [checker.solution] : [],
  });
  const play = button({
    label: t("edit.play"),
    class: "primary",
    run: () => {
      keepDraft();
      app.session.open({ ...level(), solutions: [] }, { collection: DRAWN, index: 0 });
      app.open("play", [DRAWN, 1]);
    },
  });
  const keep = button({
    label: t("edit.keep"),
    run: () => {
      const { isKept, known } = app.collections.add(level().title, [level()]);
      if (known) app.toast(t("import.known", { name: known }));
      else app.toast(t(isKept ? "edit.kept" : "import.not-kept"));
    },
  });
  const download = button({
    label: t("edit.download"),
    run: () => saveLevels(app, [level()], level().title),
  });
  const takeLevel = button({
    label: t("edit.take"),
    run: () => {
      const { level: played } = app.session;
      if (!played) return;
      try {
        draft.load(played.rows);
        title.value = played.title;
        author.value = played.author ?? "";
        keepDraft();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        app.toast(t("edit.too-large", { most: MOST_SIZE }));
      }
    },
  });
  const clear = button({
    label: t("edit.clear"),
    run: () => {
      title.value = author.value = "";
      draft.load(emptyRoom(draft.height, draft.width));
      keepDraft();
    },
  });

  const keepDraft = () =>
    keepDrawing(app.store, { rows: draft.rows, title: title.value, author: author.value });
  const refresh = () => {
    const found = complaints(draft.board);
    const lines = found.length ? found : [{ key: "edit.legal", values: {}, squares: [] }];
    status.replaceChildren(...lines.map(({ key, values }) => el("li", {}, t(key, values))));
    status.className = `complaints note ${found.length ? "warn" : "good"}`;
    canvas.show(found.flatMap(({ squares }) => squares));
    play.disabled = found.some(({ key }) => key === "problem.no-player");
    checker.refresh(found.length === 0);
    size.refresh();
    keepDraft();
  };
  draft.addEventListener("change", refresh);
  for (const input of [title, author]) input.addEventListener("change", keepDraft);

  const side = el(
    "div",
    { class: "card side editor-side", tabindex: 0, "aria-label": t("edit.about"), role: "region" },
    el(
      "div",
      { class: "stack panel" },
      status,
      checker.element,
      inRow(play, keep, download),
      labelled("edit.name", title),
      labelled("edit.author", author),
      size.element,
      inRow(takeLevel, clear),
      el("p", { class: "soft" }, t("edit.keys")),
    ),
  );
  element.append(
    el(
      "div",
      { class: "play" },
      el(
        "div",
        { class: "play-main" },
        el("h1", {}, t("edit.title")),
        canvas.element,
        canvas.toolbar,
      ),
      side,
    ),
  );
  refresh();
  signal.addEventListener("abort", keepDraft);
}

/** @param {string} key @param {string} value @returns {HTMLInputElement} */
function field(key, value) {
  const made = el("input", { type: "text", id: key.replace(".", "-"), maxlength: "200" });
  made.value = value;
  return made;
}

/** @param {string} key @param {HTMLElement} input */
function labelled(key, input) {
  return el("label", { class: "choice", for: input.id }, el("span", {}, t(key)), input);
}

/** Width and height. @param {Draft} draft */
function sizePart(draft) {
  const inputs = ["edit.height", "edit.width"].map((key) =>
    el("input", {
      type: "number",
      id: key.replace(".", "-"),
      min: String(LEAST_SIZE),
      max: String(MOST_SIZE),
      onchange: () => change(),
    }),
  );
  const change = () => {
    const [height, width] = inputs.map((input) =>
      Math.max(LEAST_SIZE, Math.min(MOST_SIZE, Math.round(Number(input.value)) || LEAST_SIZE)),
    );
    draft.resize(height, width);
  };
  const prepend = (/** @type {"row" | "column"} */ what) =>
    button({ label: t(`edit.prepend-${what}`), run: () => draft.prepend(what) });
  const [row, column] = [prepend("row"), prepend("column")];
  return {
    element: inStack(
      labelled("edit.height", inputs[0]),
      labelled("edit.width", inputs[1]),
      inRow(row, column),
    ),
    refresh() {
      inputs[0].value = String(draft.height);
      inputs[1].value = String(draft.width);
      row.disabled = draft.height >= MOST_SIZE;
      column.disabled = draft.width >= MOST_SIZE;
    },
  };
}
