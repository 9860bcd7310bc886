/** Files from and to the player. */

import { button, el } from "./dom.js";

/**
 * A button that lets the player choose files.
 * @param {string} label
 * @param {(files: File[]) => void} take
 * @returns {HTMLElement}
 */
export function fileButton(label, take) {
  const input = el("input", { type: "file", multiple: true, hidden: true, "aria-label": label });
  input.addEventListener("change", () => {
    take([...(input.files ?? [])]);
    input.value = "";
  });
  return el("span", {}, button({ label, icon: "open", text: true, class: "wide", run: () => input.click() }), input);
}

/** A name of a file, without its ending. @param {string} title @returns {string} */
export function fileName(title) {
  return title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "level";
}

/** Hands a file to the player. @param {Blob} blob @param {string} name */
export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
