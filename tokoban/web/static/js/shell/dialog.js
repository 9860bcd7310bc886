/** One dialog at a time, closed by Escape, its button or a click beside it. */

import { t } from "../strings/index.js";
import { button, el, inRow } from "./dom.js";

/**
 * Asks before something is removed for good.
 * @param {string} question
 * @param {() => void} run removes it
 */
export function confirm(question, run) {
  openDialog(question, (close) =>
    inRow(
      button({
        label: t("app.remove"),
        class: "primary",
        run: () => {
          close();
          run();
        },
      }),
      button({ label: t("app.cancel"), run: close }),
    ),
  );
}

/**
 * Opens a dialog; the focus goes back where it was when it is closed.
 * @param {string} title
 * @param {(close: () => void) => Node} content
 * @returns {() => void} closes it
 */
export function openDialog(title, content) {
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { "aria-label": title }));
  const close = () => dialog.close();
  dialog.append(
    el(
      "div",
      { class: "dialog-head" },
      el("h2", {}, title),
      button({ label: t("app.close"), icon: "close", class: "plain", run: close }),
    ),
    el("div", { class: "dialog-body" }, content(close)),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/** Closes what is open, when the view behind it is left. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}
