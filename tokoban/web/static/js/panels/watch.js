/** The panel that shows the policy think: its pushes, its searches, its attention. */

import { el } from "../shell/dom.js";
import { AttentionPart } from "../watch/attention_part.js";
import { OpinionPart } from "../watch/opinion.js";
import { SearchPart } from "../watch/search_part.js";

/**
 * @param {HTMLElement} element
 * @param {import("../game/session.js").Session} session
 * @param {import("../shell/app.js").App} app
 * @returns {() => void}
 */
export function mount(element, session, app) {
  const opinion = new OpinionPart(session);
  const parts = [opinion, new AttentionPart(session), new SearchPart(session)];
  element.append(el("div", { class: "stack" }, ...parts.map((part) => part.element)));
  const run = () => opinion.toggle();
  const removeKeys = app.keys.add([{ id: "arrows", titleKey: "opinion.arrows", keys: ["o"], run }]);
  return () => {
    removeKeys();
    for (const part of parts) part.destroy();
  };
}
