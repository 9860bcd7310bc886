/** The panel that works: solve, obey, optimise, rate, generate. */

import { el } from "../shell/dom.js";
import { GeneratePart } from "../work/generate_part.js";
import { InstructionPart } from "../work/instruction_part.js";
import { RatePart } from "../work/rate_part.js";
import { OptimisePart, SolvePart } from "../work/solve_part.js";

/**
 * @param {HTMLElement} element
 * @param {import("../game/session.js").Session} session
 * @param {import("../shell/app.js").App} app
 * @returns {() => void}
 */
export function mount(element, session, app) {
  const parts = [
    new SolvePart(session),
    new InstructionPart(session),
    new OptimisePart(session),
    new RatePart(session),
    new GeneratePart(app),
  ];
  element.append(el("div", { class: "stack" }, ...parts.map((part) => part.element)));
  return () => parts.forEach((part) => part.destroy());
}
