/** Messages beside the board, with what can be done about them. */

import { button, el } from "./dom.js";

/** @typedef {import("./app.js").App} App */

/**
 * Shows the app's notices in an element until the signal ends it.
 * @param {HTMLElement} element
 * @param {App} app
 * @param {AbortSignal} signal
 */
export function showNotices(element, app, signal) {
  const show = () =>
    element.replaceChildren(
      ...[...app.notices].map(([owner, { text, kind = "", actions = [] }]) =>
        el(
          "div",
          { class: `row note ${kind}`, "data-owner": owner },
          el("span", {}, text),
          ...actions.map(({ label, run }) => button({ label, run })),
        ),
      ),
    );
  app.addEventListener("notices", show, { signal });
  show();
}
