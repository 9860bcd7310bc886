/** The panel that shows the policy think: its pushes, its searches, its attention. */

import { inStack } from "../shell/dom.js";
import { AttentionPart } from "../watch/attention_part.js";
import { OpinionPart } from "../watch/opinion.js";
import { SearchPart } from "../watch/search_part.js";

/** @type {import("../shell/app.js").Panel["mount"]} */
export function mount(element, session, app, signal) {
  const opinion = new OpinionPart(session, signal);
  const parts = [opinion, new AttentionPart(session, signal), new SearchPart(session, signal)];
  element.append(inStack(...parts.map((part) => part.element)));
  const run = () => opinion.toggle();
  app.keys.add([{ id: "arrows", titleKey: "opinion.arrows", keys: ["o"], run }], signal);
}
