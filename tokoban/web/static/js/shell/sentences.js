/** What the server says, in the page's language: by the code of an error, and why a search ended. */

import { ServerError } from "../server.js";
import { number, t } from "../strings/index.js";

/**
 * The sentence of a request or job that failed; any other error is a mistake of the page and goes on.
 * @param {unknown} error
 * @returns {string}
 */
export function sentenceOf(error) {
  if (!(error instanceof ServerError)) throw error;
  return t(`error.${error.code}`, { message: error.message, origin: location.origin });
}

/**
 * What is wrong with a board, or with the text that has it.
 * @param {import("../levels_api.js").Problem} problem
 * @returns {string}
 */
export function problemText({ code, message, values }) {
  return code ? t(`problem.${code}`, values) : t("problem.other", { message });
}

/**
 * Why a search ended, from the reason that its answer gives: the first limit named in it.
 * @param {string | null | undefined} reason such as "10 s", "stopped" or
 *   "fewest pushes not found within 500 MB (at least 7)"
 * @returns {string}
 */
export function reasonText(reason) {
  if (reason?.includes("stopped")) return t("reason.stopped");
  if (reason === "no position left") return t("reason.no-position");
  const [, value, unit] = /([\d.]+) (s|MB|pushes)\b/.exec(reason ?? "") ?? [];
  if (!unit) return t("reason.limit");
  if (unit === "pushes") return t("reason.pushes", { count: Number(value) });
  return `${number(Number(value))} ${unit}`;
}
