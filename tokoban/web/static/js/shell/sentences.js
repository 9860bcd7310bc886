/** What the server says, in the page's language: by the code of an error, and why a search ended. */

import { ServerError } from "../server.js";
import { t } from "../strings/index.js";

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
 * Why a search ended.
 * @param {{message: string, code?: string, values?: Record<string, number>}} reason of its answer;
 *   the message is in English
 * @returns {string}
 */
export function reasonText({ message, code, values }) {
  return code ? t(`reason.${code}`, values) : t("reason.other", { message });
}
