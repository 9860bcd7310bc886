/** The panel that works: solve, obey, optimise, rate, generate. */

import { inStack } from "../shell/dom.js";
import { GeneratePart } from "../work/generate_part.js";
import { InstructionPart } from "../work/instruction_part.js";
import { RatePart } from "../work/rate_part.js";
import { OptimisePart, SolvePart } from "../work/solve_part.js";

/** @type {import("../shell/app.js").Panel["mount"]} */
export function mount(element, session, app, signal) {
  const parts = [
    new SolvePart(session, signal),
    new InstructionPart(session, signal),
    new OptimisePart(session, signal),
    new RatePart(session, signal),
    new GeneratePart(app, signal),
  ];
  element.append(inStack(...parts.map((part) => part.element)));
}
