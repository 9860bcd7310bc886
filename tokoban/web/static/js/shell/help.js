/** The key map, and how to change it. */

import { t } from "../strings/index.js";
import { openDialog } from "./dialog.js";
import { button, el, inRow, inStack } from "./dom.js";
import { keyName } from "./keys.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./keys.js").Action} Action */

/** Keys of the keyboard itself that no action can have. */
const RESERVED = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Tab", "Dead"]);

/** Shown in place of the names of keys. @type {Record<string, string>} */
const SIGNS = { ArrowUp: "↑", ArrowLeft: "←", ArrowDown: "↓", ArrowRight: "→", Backspace: "⌫" };

/** What German keyboards call keys. @type {Record<string, string>} */
const GERMAN = {
  Ctrl: "Strg", Shift: "⇧", Space: "Leertaste", Home: "Pos1", End: "Ende", Delete: "Entf",
  Insert: "Einfg", PageUp: "Bild↑", PageDown: "Bild↓",
};

/** The help on views other than the board's. @type {Record<string, string[]>} */
const ABOUT = {
  levels: ["levels.keys"],
  editor: ["edit.keys"],
  labs: ["attention.tokens-hint", "labs.keys"],
};

/** @param {App} app */
export function openHelp(app) {
  openDialog(t("app.help"), () => {
    const body = inStack();
    const show = () => {
      const rows = app.keys.actions.map((action) => keyRow(app, action, show));
      const about = ABOUT[app.shownView] ?? ["help.mouse", "help.touch"];
      body.replaceChildren(
        ...about.map((key) => el("p", {}, t(key))),
        el("h3", {}, t("help.keys")),
        el("table", { class: "keys-table" }, el("tbody", {}, ...rows)),
        inRow(
          button({
            label: t("help.reset"),
            run: () => {
              app.keys.reset();
              show();
            },
          }),
        ),
      );
    };
    show();
    return body;
  });
}

/** @param {App} app @param {Action} action @param {() => void} show */
function keyRow(app, action, show) {
  const title = t(action.titleKey);
  const keys = app.keys.keysOf(action);
  const change = button({
    label: t("help.change", { action: title }),
    icon: "settings",
    class: "plain",
    run: () => {
      change.replaceChildren(t("help.press"));
      change.dataset.ownKeys = "";
      change.addEventListener("blur", show, { once: true });
      change.addEventListener("keydown", (event) => {
        if (RESERVED.has(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        // Escape takes all keys from the action.
        app.keys.change(action, event.key === "Escape" ? [] : [keyName(event)]);
        show();
      });
    },
  });
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, title),
    el("td", {}, ...keys.map((key) => el("kbd", {}, shownKey(key))), change),
  );
}

/** @param {string} key as in `keyName` @returns {string} */
function shownKey(key) {
  const names = document.documentElement.lang === "de" ? { ...SIGNS, ...GERMAN } : SIGNS;
  // The key + itself has no further one.
  return key.split(/\+(?=.)/).map((part) => names[part] ?? part).join("+");
}
