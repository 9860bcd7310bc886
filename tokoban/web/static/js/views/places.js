/** The level that an address names, and its neighbours in the collection. */

import { stateOf } from "../game/store.js";
import { levelKey } from "../rules/text.js";
import { ServerError } from "../server.js";
import { SHIPPED } from "../shell/collections.js";
import { tellServerError } from "../shell/importing.js";
import { sentenceOf } from "../shell/sentences.js";
import { t } from "../strings/index.js";

/** @typedef {import("../shell/app.js").App} App */
/** @typedef {import("../game/session.js").Place} Place */
/** @typedef {import("../game/store.js").Level} Level */

/** The owner of the notice that the level of an address is not there. */
export const MISSING = "missing";

/**
 * Opens the level of an address; without one, the level played last, or the first.
 * @param {App} app
 * @param {string[]} params collection and number of the level, from 1
 */
export async function openPlace(app, [collection, number]) {
  const { session } = app;
  app.notify(MISSING, null);
  if (!collection && session.level) return;
  const given = { collection, index: Math.max(1, Math.trunc(Number(number)) || 1) - 1 };
  const { place: now } = session;
  if (collection && now?.collection === collection && now.index === given.index) return;
  const { hash } = location;
  try {
    const { collection: id, index } = collection ? given : await placeToResume(app);
    const { levels } = await app.collections.get(id);
    // The player may have gone somewhere else meanwhile.
    if (location.hash !== hash) return;
    if (levels[index]) session.open(levels[index], { collection: id, index });
    else tellMissing(app, t("levels.no-level"));
  } catch (error) {
    tellMissing(app, missingText(error));
  }
}

/** @param {App} app @param {string} text */
function tellMissing(app, text) {
  const actions = [{ label: t("play.all-levels"), run: () => app.open("levels", [SHIPPED]) }];
  app.notify(MISSING, { text, kind: "bad", actions });
}

/**
 * Where the level played last is; the first level, if another is there now, as on a server that was
 * started again with other files.
 * @param {App} app
 * @returns {Promise<Place>}
 */
async function placeToResume({ store, collections }) {
  try {
    const { level, place } = store.value("last");
    const { levels } = await collections.get(place.collection);
    if (levelKey(levels[place.index].rows) === levelKey(level.rows)) return place;
  } catch {
    // Its collection is gone.
  }
  return { collection: await collections.first(), index: 0 };
}

/** Why a collection cannot be shown. @param {unknown} error @returns {string} */
export function missingText(error) {
  const isMissing = error instanceof ServerError && error.code === "not-found";
  return isMissing ? t("levels.missing") : sentenceOf(error);
}

/**
 * Opens the level so many places on; the last is followed by the first, which is said.
 * @param {App} app
 * @param {number} step
 */
export async function stepPlace(app, step) {
  const { place } = app.session;
  if (!place) return app.open("play", [SHIPPED, 1]);
  try {
    const { levels } = await app.collections.get(place.collection);
    if (!levels.length) return; // such as of those played, once the only one is forgotten
    const next = place.index + step;
    app.open("play", [place.collection, ((next + levels.length) % levels.length) + 1]);
    if (next < 0) app.toast(t("play.was-first"));
    else if (next >= levels.length) app.toast(t("play.was-last"));
  } catch (error) {
    tellServerError(app, error);
  }
}

/**
 * Opens the next level of the collection that is not solved; the last is followed by the first.
 * @param {App} app
 */
export async function nextUnsolved(app) {
  const { place } = app.session;
  if (!place) return app.open("play", [SHIPPED, 1]);
  try {
    const { levels } = await app.collections.get(place.collection);
    const isUnsolved = (/** @type {Level} */ { rows }) =>
      stateOf(app.store.progress(levelKey(rows))) !== "solved";
    const after = levels.findIndex((level, index) => index > place.index && isUnsolved(level));
    const index = after >= 0 ? after : levels.slice(0, place.index).findIndex(isUnsolved);
    if (index < 0) app.toast(t("play.none-unsolved"));
    else app.open("play", [place.collection, index + 1]);
  } catch (error) {
    tellServerError(app, error);
  }
}

/** @param {App} app @returns {Promise<string>} where the level is, in words; empty for none */
export async function placeText(app) {
  const { place } = app.session;
  if (!place) return "";
  try {
    const { name, levels } = await app.collections.get(place.collection);
    return t("play.place", { name, index: place.index + 1, count: levels.length });
  } catch {
    return "";
  }
}
