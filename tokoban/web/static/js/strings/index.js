/** The table of strings: every word that the user sees, in English and German. */

import { strings as analyse } from "./analyse.js";
import { attentionStrings } from "./attention.js";
import { strings as editor } from "./editor.js";
import { strings as failures } from "./failures.js";
import { strings as labs } from "./labs.js";
import { strings as play } from "./play.js";
import { strings as watch } from "./watch.js";
import { strings as work } from "./work.js";

/** @type {Record<string, {en: string, de: string}>} */
export const TABLE = {
  ...play,
  ...analyse,
  ...watch,
  ...work,
  ...editor,
  ...labs,
  ...attentionStrings,
  ...failures,
};

/** @type {"en" | "de"} */
let language = "en";

/** @param {"en" | "de"} chosen */
export function setLanguage(chosen) {
  language = chosen;
  document.documentElement.lang = chosen;
}

/**
 * The text of a key. `{name}` is replaced by a value; `{count|one|many}` chooses by a count.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @param {"en" | "de"} [written] the language, if not that of the page
 * @returns {string}
 */
export function t(key, values = {}, written = language) {
  const entry = TABLE[key];
  if (!entry) throw new Error(`no string "${key}"`);
  return entry[written].replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name, one, many) => {
    const value = values[name];
    if (one === undefined) return typeof value === "number" ? value.toLocaleString(written) : String(value);
    return value === 1 ? one : many;
  });
}

/**
 * A number as the language writes it, with at most three decimals or just so many.
 * @param {number} value
 * @param {number} [decimals]
 * @returns {string}
 */
export function number(value, decimals) {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString(language, options);
}
