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
  const buttons = () => [...element.querySelectorAll("button")];
  const show = () => {
    const focused = buttons().findIndex((one) => one === document.activeElement);
    element.replaceChildren(
      ...[...app.notices].map(([owner, { text, kind = "", actions = [] }]) =>
        el(
          "div",
          { class: `row note ${kind}`, "data-owner": owner },
          el("span", {}, text),
          ...actions.map(({ disabled = false, ...action }) => Object.assign(button(action), { disabled })),
        ),
      ),
    );
    buttons()[focused]?.focus(); // so that the next step needs no search for its button
  };
  app.addEventListener("notices", show, { signal });
  show();
}
