/** What the file says of the level: its author and its notes, as text. */

import { el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @param {import("../game/session.js").Session} session @returns {import("./moves.js").Part} */
export function aboutLevel(session) {
  const author = el("p");
  const notes = el("p", { class: "level-notes" });
  const element = el("details", {}, el("summary", {}, t("moves.about")), author, notes);
  return {
    element,
    refresh() {
      const { level } = session;
      author.textContent = level?.author ? t("moves.author", { name: level.author }) : "";
      notes.textContent = (level?.notes ?? []).map((note) => note.replace(/^;+ ?/, "")).join("\n");
      element.hidden = !author.textContent && !notes.textContent;
    },
  };
}
