/** A button whose word changes with what it does. */

import { el } from "./dom.js";

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
export function relabel(button, text) {
  if (button.textContent !== text) button.replaceChildren(el("span", {}, text));
}
