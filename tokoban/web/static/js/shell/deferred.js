/**
 * Views and panels whose modules, a third of all, are fetched after the first frame. Otherwise the
 * first board would wait for them.
 */

import { t } from "../strings/index.js";
import { afterPaint } from "./after_paint.js";
import { el } from "./dom.js";

/** @type {Promise<void>} */
const painted = new Promise((resolve) => afterPaint(resolve)());

/**
 * A view or panel whose `mount` is a module's, and is called as soon as the module is there,
 * unless the part has been left by then.
 * @template {unknown[]} Rest
 * @param {string} id
 * @param {string} titleKey
 * @param {() => Promise<{mount: (element: HTMLElement, ...rest: [...Rest, AbortSignal]) => void}>}
 *   fetchModule
 */
export function deferred(id, titleKey, fetchModule) {
  const fetchLater = () => painted.then(fetchModule);
  // Fetched in advance, so that the whole page works even when the server is gone.
  fetchLater().catch(() => {});
  return {
    id,
    titleKey,
    /** @param {HTMLElement} element @param {[...Rest, AbortSignal]} rest */
    mount(element, ...rest) {
      const isLeft = () => /** @type {AbortSignal} */ (rest.at(-1)).aborted;
      fetchLater().then(
        (module) => isLeft() || module.mount(element, ...rest),
        () => isLeft() || element.append(el("p", { class: "soft" }, t("error.server-lost"))),
      );
    },
  };
}
