/** A share as a bar behind its name. */

import { el } from "../../shell/dom.js";
import { number } from "../../strings/index.js";

/**
 * @param {Node} name
 * @param {number} share
 * @returns {HTMLElement} an item of a list
 */
export function shareBar(name, share) {
  const bar = el("span", { class: "lab-bar" });
  bar.style.setProperty("--share", `${100 * share}%`);
  return el("li", {}, name, bar, el("span", {}, `${number(100 * share, 1)} %`));
}
