/** What the server says, in the page's language: by the code of an error, and why a search ended. */

import { ServerError } from "../server.js";
import { t } from "../strings/index.js";
import { PLAYED, SHIPPED } from "./collections.js";

/**
 * The sentence of a request or job that failed; any other error is a mistake of the page and goes on.
 * @param {unknown} error
 * @returns {string}
 */
export function sentenceOf(error) {
  if (!(error instanceof ServerError)) throw error;
  const { code, problem, reason } = error;
  const message = problem ? problemText(problem) : reason ? reasonText(reason) : error.message;
  return t(`error.${code}`, { message, origin: location.origin });
}

/**
 * A level's title; those that tokoban gives to its own levels are in the page's language.
 * @param {string} title
 * @param {string} [collection] that it is in
 * @returns {string}
 */
export function titleText(title, collection) {
  const isOurs = collection === SHIPPED || collection === PLAYED;
  const made = /^Level (?<number>\d+) of seed (?<seed>\d+)$/.exec(title)?.groups;
  if (made) return t("levels.name-made", made);
  const [, grade, number] = (isOurs && /^(Easy|Medium|Hard|Expert) (\d+)$/.exec(title)) || [];
  return grade ? t(`levels.name-${grade.toLowerCase()}`, { number }) : title || t("play.untitled");
}

/** @type {Record<string, string>} */
const SQUARES = {
  "#": "square.wall",
  " ": "square.floor",
  ".": "square.goal",
  $: "square.box",
  "*": "square.box-on-goal",
  "@": "square.player",
  "+": "square.player-on-goal",
};

/** What is on a square. @param {string} letter of it in XSB @returns {string} */
export function squareText(letter) {
  return t(SQUARES[letter]);
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
