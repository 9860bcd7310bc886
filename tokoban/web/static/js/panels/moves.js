/** The moves of the game: the line with a slider. */

import { el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @type {import("../shell/app.js").Panel} */
export const panel = { id: "moves", titleKey: "moves.title", mount };

/**
 * @param {HTMLElement} element
 * @param {import("../game/session.js").Session} session
 * @returns {() => void}
 */
function mount(element, session) {
  const slider = /** @type {HTMLInputElement} */ (
    el("input", { type: "range", min: "0", "aria-label": t("moves.title") })
  );
  slider.addEventListener("input", () => session.game.goTo(Number(slider.value)));
  element.append(slider);
  const refresh = () => {
    slider.max = String(session.game.moves.length);
    slider.value = String(session.game.at);
  };
  const abort = new AbortController();
  session.addEventListener("change", refresh, { signal: abort.signal });
  session.addEventListener("level", refresh, { signal: abort.signal });
  refresh();
  return () => abort.abort();
}
