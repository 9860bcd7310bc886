/** The game as text, link, picture or animation, and all progress as a SOK file. */

import { runJob } from "../server.js";
import { levelText, toXsb } from "../rules/text.js";
import { sentenceOf, titleText } from "./sentences.js";
import { t } from "../strings/index.js";
import { bytesOf } from "./base64.js";
import { confirm, openDialog } from "./dialog.js";
import { button, el, inRow, inStack, section } from "./dom.js";
import { linkOf } from "./importing.js";
import { exportProgress, importProgress } from "./progress_files.js";
import { fileButton, fileName, saveBlob } from "./saving.js";

/** @typedef {import("./app.js").App} App */

/** Size of a square in pictures, in pixels; large boards have smaller ones. */
const CELL = 48;
const MAX_PICTURE = 4096;
/** Hosts that no other computer reaches. */
const LOCAL = /^(localhost|127\..*|\[::1\])$/;

/** @param {App} app */
export function openShare(app) {
  const { session } = app;
  const { game, level } = session;
  if (!level) return;
  const name = fileName(level.title);
  /** @param {string} text @param {string} [told] */
  const copy = (text, told) => () => copyText(app, text, told);
  const copiedMoves = t("share.copied-moves", { count: game.moves.length });
  openDialog(t("play.share"), (close) =>
    inStack(
      section(
        t("share.level"),
        LOCAL.test(location.hostname) && el("p", { class: "soft" }, t("share.local")),
        inRow(
          button({ label: t("share.copy-level"), run: copy(levelText(toXsb(game.start), level)) }),
          button({ label: t("share.copy-link"), run: copy(linkOf(level)) }),
          button({
            label: t("share.forget"),
            run: () => {
              close();
              const title = titleText(level.title, session.place?.collection);
              confirm(t("share.forget-ask", { title }), () => session.forget());
            },
          }),
        ),
      ),
      section(
        t("share.game"),
        inRow(
          button({ label: t("share.copy-position"), run: copy(toXsb(game.board)) }),
          button({ label: t("share.copy-moves"), run: copy(game.moves, copiedMoves) }),
          button({ label: t("share.picture"), run: () => savePicture(app, name) }),
          button({ label: t("share.animation"), run: (event) => saveAnimation(app, name, event) }),
        ),
      ),
      section(
        t("share.all"),
        inRow(
          button({ label: t("share.export"), run: () => exportProgress(app) }),
          fileButton(t("share.import"), (files) => importProgress(app, files)),
        ),
      ),
      el("p", { class: "soft" }, t("share.import-help")),
    ),
  );
}

/** @param {App} app @param {string} text @param {string} [told] once it is copied */
export async function copyText(app, text, told = t("share.copied")) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(told);
  } catch {
    // No permission: the text is shown to be copied by hand.
    openDialog(t("share.copy-by-hand"), () => {
      const area = el("textarea", { class: "mono", rows: "10", cols: "60", readonly: true }, text);
      area.setAttribute("aria-label", t("share.copy-by-hand"));
      requestAnimationFrame(() => area.select());
      return area;
    });
  }
}

/** @param {App} app @param {string} name */
function savePicture(app, name) {
  const { board } = app.session.game;
  const cell = Math.max(1, Math.min(CELL, Math.floor(MAX_PICTURE / Math.max(board.width, board.height))));
  const canvas = app.session.view?.picture(cell);
  canvas?.toBlob((/** @type {Blob | null} */ blob) => blob && saveBlob(blob, `${name}.png`));
}

/** @param {App} app @param {string} name @param {Event} event of the button */
async function saveAnimation(app, name, event) {
  const { game } = app.session;
  const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
  pressed.disabled = true;
  app.toast(t("share.making"));
  try {
    const done = await runJob("animation", {
      board: game.start.toRows().join("\n"),
      moves: game.moves,
    });
    saveBlob(new Blob([bytesOf(done.gif)], { type: "image/gif" }), `${name}.gif`);
  } catch (error) {
    app.toast(sentenceOf(error));
  } finally {
    pressed.disabled = false;
  }
}
