/** The level list: collections, and the levels of one with thumbnails and what was made of them. */

import { paletteOf } from "../board/palette.js";
import { Thumbnails } from "../board/thumbnail.js";
import { stateOf } from "../game/store.js";
import { levelKey } from "../rules/text.js";
import { OWN, PLAYED, SHIPPED } from "../shell/collections.js";
import { confirm, openDialog } from "../shell/dialog.js";
import { button, choice, el, inRow, inStack } from "../shell/dom.js";
import { importFiles, importText, tellServerError } from "../shell/importing.js";
import { exportCollection } from "../shell/progress_files.js";
import { fileButton } from "../shell/saving.js";
import { titleText } from "../shell/sentences.js";
import { t } from "../strings/index.js";
import { levelCard } from "./level_card.js";
import { missingText } from "./places.js";
import { VirtualGrid } from "./virtual_grid.js";

/** @typedef {import("../shell/app.js").App} App */
/** @typedef {import("../shell/collections.js").Collection} Collection */
/** @typedef {import("../game/store.js").Level} Level */

/** A card's size in CSS pixels; those of played levels name the collection, too. */
const CARD = { minWidth: 168, height: 236 };
const PLAYED_CARD = { ...CARD, height: 260 };

/** @type {import("../shell/app.js").View["mount"]} */
export function mount(element, app, [given], signal) {
  const chosen = given || app.session.place?.collection || SHIPPED;
  const sidebar = el("nav", { class: "stack collections", "aria-label": t("levels.collections") });
  const scroller = el("div", { class: "level-scroller", tabindex: "-1" });
  const title = el("h1", {}, t("levels.title"));
  const credit = el("p", { class: "soft" });
  const filters = new Filters(chosen, () => showLevels());
  element.append(
    el(
      "div",
      { class: "levels" },
      sidebar,
      el(
        "div",
        { class: "levels-main" },
        el("div", { class: "row levels-head" }, el("div", { class: "grow" }, title, credit), filters.element),
        scroller,
      ),
    ),
  );

  /** @type {Collection | null} */
  let collection = null;
  /** Numbers of the levels that are shown, from 0. @type {number[]} */
  let shown = [];
  let painter = new Thumbnails(paletteOf(scroller));
  const grid = new VirtualGrid(scroller, {
    label: t("levels.title"),
    signal,
    ...(chosen === PLAYED ? PLAYED_CARD : CARD),
    makeCard: (position) => {
      const index = shown[position];
      const level = /** @type {Collection} */ (collection).levels[index];
      const progress = app.store.progress(levelKey(level.rows));
      return levelCard(level, { collection: chosen, index }, progress, painter);
    },
    release: (card) => painter.giveBack(card.querySelector("canvas")),
  });
  const playedAt = (/** @type {number} */ index) =>
    app.store.progress(levelKey(collection?.levels[index].rows ?? []))?.playedAt ?? 0;
  const showLevels = () => {
    if (!collection) return;
    shown = filters.choose(collection.levels, (level) =>
      stateOf(app.store.progress(levelKey(level.rows))),
    );
    if (chosen === PLAYED) shown.sort((one, other) => playedAt(other) - playedAt(one));
    filters.tell(shown.length, collection.levels.length);
    const { place } = app.session;
    const now = place?.collection === chosen ? shown.indexOf(place.index) : -1;
    grid.show(shown.length, Math.max(0, now));
  };
  const load = async () => {
    try {
      collection = await app.collections.get(chosen);
      title.textContent = collection.name;
      credit.textContent = chosen === SHIPPED ? t("levels.credit") : (collection.credit ?? "");
      showLevels();
    } catch (error) {
      credit.textContent = missingText(error);
    }
  };
  // Another tab may have solved a level, or added a collection.
  const change = (/** @type {Event} */ event) => {
    const { isCollection } = /** @type {CustomEvent} */ (event).detail;
    if (isCollection) showCollections(app, sidebar, chosen);
    else {
      grid.refresh();
      countSolved(app, sidebar);
    }
  };
  app.store.addEventListener("change", change, { signal });
  app.addEventListener(
    "theme",
    () => {
      painter = new Thumbnails(paletteOf(scroller));
      grid.refresh();
    },
    { signal },
  );
  showCollections(app, sidebar, chosen);
  load();
}

/** @param {App} app @param {HTMLElement} element @param {string} chosen */
async function showCollections(app, element, chosen) {
  const isTouched = matchMedia("(pointer: coarse)").matches;
  const tools = inStack(
    fileButton(t("levels.open-file"), (files) => importFiles(app, files)),
    button({ label: t("levels.paste"), icon: "plus", text: true, run: () => openPaste(app) }),
    button({ label: t("levels.save"), icon: "share", text: true, run: () => exportCollection(app, chosen) }),
    app.store.collection(chosen) &&
      button({ label: t("levels.rename"), run: () => openRename(app, chosen) }),
    el("p", { class: "soft" }, t(isTouched ? "levels.touch-help" : "levels.drop-help")),
  );
  const list = el("ul", { class: "list" });
  element.replaceChildren(list, tools);
  /** @type {import("../shell/collections.js").Entry[]} */
  let served = [];
  try {
    served = await app.collections.served();
  } catch (error) {
    tellServerError(app, error);
  }
  list.replaceChildren(
    ...[...served, ...app.collections.own()].map(({ id, name, num_levels: count }) =>
      el(
        "li",
        {},
        el(
          "a",
          {
            class: "button plain collection",
            href: `#/levels/${encodeURIComponent(id)}`,
            "aria-current": id === chosen ? "true" : null,
          },
          el("span", { class: "collection-name" }, name),
          el("span", { class: "soft", "data-collection": id }, t("levels.count", { count })),
        ),
        id === PLAYED &&
          button({
            label: t("levels.forget"),
            icon: "remove",
            class: "plain",
            run: () => confirm(t("levels.forget-ask", { count }), () => forgetAll(app, chosen)),
          }),
        id.startsWith(OWN) &&
          button({
            label: t("levels.remove", { name }),
            icon: "remove",
            class: "plain",
            run: () =>
              confirm(t("levels.remove-ask", { name, count }), () => {
                app.store.removeCollection(id);
                if (id === chosen) app.open("levels", [SHIPPED]);
              }),
          }),
      ),
    ),
  );
  countSolved(app, element);
}

/**
 * Says how many levels of each collection are solved. Before the first solution no collection is
 * read for that.
 * @param {App} app @param {HTMLElement} sidebar
 */
async function countSolved({ store, collections }, sidebar) {
  const isSolved = (/** @type {{rows: string[]}} */ { rows }) => stateOf(store.progress(levelKey(rows))) === "solved";
  if (![...store.allProgress().values()].some(isSolved)) return;
  for (const told of /** @type {NodeListOf<HTMLElement>} */ (sidebar.querySelectorAll("[data-collection]"))) {
    try {
      const { levels } = await collections.get(told.dataset.collection ?? "");
      const solved = levels.filter(isSolved).length;
      if (solved) told.textContent = t("levels.num-solved", { solved, count: levels.length });
    } catch {
      // The server does not answer, which the list itself says.
    }
  }
}

/** Removes the progress in all levels. @param {App} app @param {string} chosen */
function forgetAll(app, chosen) {
  for (const key of app.store.allProgress().keys()) app.store.removeProgress(key);
  app.session.forget();
  app.open("levels", [chosen === PLAYED ? SHIPPED : chosen]);
}

/** @param {App} app @param {string} id of a collection of the player's own */
function openRename(app, id) {
  const kept = app.store.collection(id);
  if (!kept) return;
  openDialog(t("levels.rename"), (close) => {
    const name = el("input", { type: "text", value: kept.name, maxlength: "80", "aria-label": t("levels.name") });
    const run = () => {
      if (name.value.trim()) app.store.keepCollection({ ...kept, name: name.value.trim() });
      close();
      app.open("levels", [id]);
    };
    name.addEventListener("keydown", ({ key }) => key === "Enter" && run());
    return inRow(name, button({ label: t("levels.rename"), class: "primary", run }));
  });
}

/** @param {App} app */
function openPaste(app) {
  openDialog(t("levels.paste"), (close) => {
    const area = el("textarea", {
      class: "mono wide",
      rows: "14",
      spellcheck: "false",
      "aria-label": t("levels.paste-here"),
      placeholder: "#####\n#@$.#\n#####",
    });
    const run = async () => {
      if (await importText(app, area.value, t("import.pasted"))) close();
    };
    return inStack(
      el("p", { class: "soft" }, t("levels.formats")),
      area,
      inRow(button({ label: t("levels.read"), class: "primary", run })),
    );
  });
}

/** The state that was chosen last, in any collection; it ends with the page. */
let chosenState = "all";

/** Search by title, and by state. */
class Filters {
  /** @param {string} collection @param {() => void} change */
  constructor(collection, change) {
    this._collection = collection;
    this._search = el("input", { type: "search", "aria-label": t("levels.search"), placeholder: t("levels.search") });
    this._search.addEventListener("input", change);
    this._told = el("span", { class: "soft", role: "status" });
    this.element = inRow(
      this._search,
      choice({
        label: t("levels.show"),
        options: ["all", "unsolved", "unseen", "tried", "solved"].map((state) => [state, t(`levels.${state}`)]),
        value: chosenState,
        change: (state) => {
          chosenState = state;
          change();
        },
      }),
      this._told,
    );
  }

  /**
   * @param {Level[]} levels
   * @param {(level: Level) => string} state
   * @returns {number[]} numbers of those to be shown, from 0
   */
  choose(levels, state) {
    const wanted = this._search.value.trim().toLowerCase();
    return levels
      .map((_, index) => index)
      .filter((index) => {
        const level = levels[index];
        const title = `${index + 1} ${titleText(level.title, this._collection)}`;
        const isFound = !wanted || title.toLowerCase().includes(wanted);
        const is = state(level);
        return isFound && ["all", is, is !== "solved" && "unsolved"].includes(chosenState);
      });
  }

  /** @param {number} shown @param {number} count */
  tell(shown, count) {
    this._told.textContent = shown === count ? "" : t("moves.place", { at: shown, count });
  }
}
