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
import { button, el, inRow, inStack, labelled } from "../shell/dom.js";
import { saveLevels } from "../shell/progress_files.js";
import { t } from "../strings/index.js";

/** @typedef {import("../shell/app.js").App} App */

/** @type {import("../shell/app.js").View["mount"]} */
export function mount(element, app, params, signal) {
  const kept = keptDrawing(app.store);
  const draft = new Draft(kept.rows, kept.fields);
  const canvas = new DrawingCanvas(draft, app, signal);
  const [title, author] = [0, 1].map(() => el("input", { type: "text", maxlength: "200" }));
  const status = el("ul", { "aria-live": "polite" });
  const checker = new Checker(draft, signal);
  const size = sizePart(draft, app);

  /** @returns {import("../game/store.js").Level} */
  const level = () => ({
    ...draft.fields,
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
      const place = app.collections.placeOf(level());
      app.session.open({ ...level(), solutions: [] }, place);
      app.open("play", [place.collection, place.index + 1]);
    },
  });
  /** @param {string} [id] of the level that the drawing replaces */
  const save = (id = Date.now().toString(36)) => {
    draft.fields = { ...draft.fields, id };
    const { name, isNew, isKept } = app.collections.keepDrawing({ ...level(), id });
    app.toast(isKept ? t(isNew ? "edit.kept" : "edit.replaced", { name }) : t("import.not-kept"));
    refresh();
  };
  const keep = button({ label: t("edit.keep"), run: () => save(draft.fields.id) });
  const keepNew = button({ label: t("edit.keep-new"), run: () => save() });
  const download = button({
    label: t("edit.download"),
    run: () => saveLevels(app, [level()], { file: level().title }),
  });
  /** @param {import("../game/store.js").Level} other @returns {boolean} whether it is not too large */
  const take = ({ rows, title, author = "", id }) => {
    try {
      draft.load(rows, { title, author, id });
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      tellSizes(app);
      return false;
    }
  };
  const takePlayed = button({
    label: t("edit.take"),
    run: () => app.session.level && take(app.session.level),
  });
  const clear = button({
    label: t("edit.clear"),
    run: () => draft.load(emptyRoom(draft.height, draft.width)),
  });
  const takeGiven = (/** @type {Event} */ event) => {
    if (!take(/** @type {CustomEvent} */ (event).detail)) return;
    event.preventDefault();
    app.toast(t("edit.taken"));
  };
  app.addEventListener("level", takeGiven, { signal });

  const keepDraft = () => keepDrawing(app.store, draft);
  const refresh = () => {
    const found = complaints(draft.board);
    const lines = found.length ? found : [{ key: "edit.legal", values: {}, squares: [] }];
    status.replaceChildren(...lines.map(({ key, values }) => el("li", {}, t(key, values))));
    status.className = `complaints note ${found.length ? "warn" : "good"}`;
    canvas.show(found.flatMap(({ squares }) => squares));
    // Without a player it is no level of a collection either.
    const isLevel = found.every(({ key }) => key !== "problem.no-player");
    for (const needsLevel of [play, keep, keepNew]) needsLevel.disabled = !isLevel;
    [title.value, author.value] = [draft.fields.title, draft.fields.author];
    keepNew.hidden = draft.fields.id === undefined;
    checker.refresh(found.length === 0);
    size.refresh();
    keepDraft();
  };
  draft.addEventListener("change", refresh);
  for (const input of [title, author]) {
    input.addEventListener("input", () => {
      draft.fields = { ...draft.fields, title: title.value, author: author.value };
    });
    input.addEventListener("change", keepDraft);
  }

  const side = el(
    "div",
    { class: "card side editor-side", tabindex: 0, "aria-label": t("edit.about"), role: "region" },
    el(
      "div",
      { class: "stack panel" },
      status,
      checker.element,
      inRow(play, keep, keepNew, download),
      labelled(t("edit.name"), title),
      labelled(t("edit.author"), author),
      size.element,
      inRow(takePlayed, clear),
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

/** Says which sizes can be drawn. @param {App} app */
function tellSizes(app) {
  app.toast(t("edit.sizes", { least: LEAST_SIZE, most: MOST_SIZE }));
}

/** Width and height. @param {Draft} draft @param {App} app */
function sizePart(draft, app) {
  const inputs = [0, 1].map(() =>
    el("input", { type: "number", min: LEAST_SIZE, max: MOST_SIZE, onchange: () => change() }),
  );
  const change = () => {
    const asked = inputs.map((input) => Math.round(Number(input.value)));
    const [height, width] = asked.map((size) => Math.max(LEAST_SIZE, Math.min(MOST_SIZE, size)));
    if (height !== asked[0] || width !== asked[1]) tellSizes(app);
    draft.resize(height, width);
    refresh();
  };
  const prepend = (/** @type {"row" | "column"} */ what) =>
    button({ label: t(`edit.prepend-${what}`), run: () => draft.prepend(what) });
  const [row, column] = [prepend("row"), prepend("column")];
  const refresh = () => {
    inputs[0].value = String(draft.height);
    inputs[1].value = String(draft.width);
    row.disabled = draft.height >= MOST_SIZE;
    column.disabled = draft.width >= MOST_SIZE;
  };
  return {
    element: inStack(
      labelled(t("edit.height"), inputs[0]),
      labelled(t("edit.width"), inputs[1]),
      inRow(row, column),
    ),
    refresh,
  };
}
