// What tokens, weights and maps are called.

import { MEAN, ROLLOUT } from "./weights.js";

/**
 * A sentence of the table of strings, in the language of the page.
 * @typedef {(key: string, values?: Record<string, string | number>) => string} Translate
 */

/**
 * A label with visible spaces and line ends.
 * @param {string} label
 * @returns {string}
 */
export function shown(label) {
  const seen = label.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return seen.replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length)) || "∅";
}

/**
 * A token by its label and its place.
 * @param {import("./weights.js").Layout} layout
 * @param {number} index
 * @param {Translate} t
 * @returns {string}
 */
export function nameOf(layout, index, t) {
  if (layout.kind === "grid") {
    const cell = index - Number(layout.has_class_token);
    if (cell < 0) return t("attention.the-class-token");
    const [row, column] = [Math.floor(cell / layout.width) + 1, (cell % layout.width) + 1];
    const label = layout.labels?.[cell] ?? "";
    return `${t("attention.cell", { row, column })} ${label && shown(label)}`.trim();
  }
  const label = shown(layout.labels[index]);
  if (layout.row_length === null) return t("attention.token", { label, place: index + 1 });
  const [row, place] = [Math.floor(index / layout.row_length), index % layout.row_length];
  return t("attention.token-in-row", { label, row: row + 1, place: place + 1 });
}

/**
 * A layer and head, by the numbers they are shown with.
 * @param {import("./weights.js").Choice} choice
 * @param {Translate} t
 * @returns {string}
 */
export function describe({ layer, head }, t) {
  if (layer === ROLLOUT) return t("attention.rollout");
  const number = layer + 1;
  return head === MEAN
    ? t("attention.layer-mean", { layer: number })
    : t("attention.layer-head", { layer: number, head: head + 1 });
}

/**
 * A weight in at most five characters.
 * @param {number} weight
 * @returns {string}
 */
export function short(weight) {
  if (weight === 0) return "0";
  if (weight < 0.0005) return inLanguage("<.001");
  return weight > 0.9995 ? "1" : inLanguage(weight.toFixed(3).replace(/^0/, ""));
}

/**
 * A weight to three digits.
 * @param {number} weight
 * @returns {string}
 */
export function rounded(weight) {
  return inLanguage(String(Number(weight.toPrecision(3))));
}

/** A number with the decimal mark of the document's language. @param {string} written */
function inLanguage(written) {
  const [, mark] = (0.5).toLocaleString(document.documentElement.lang);
  return written.replace(".", mark);
}
