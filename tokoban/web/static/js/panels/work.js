/** The panel that works: solve, obey, optimise, rate, generate. */

import { inStack } from "../shell/dom.js";
import { GeneratePart } from "../work/generate_part.js";
import { InstructionPart } from "../work/instruction_part.js";
import { RatePart } from "../work/rate_part.js";
import { OPTIMISE, SOLVE, SolutionPart } from "../work/solve_part.js";

/** @type {import("../shell/app.js").Panel["mount"]} */
export function mount(element, session, app, signal) {
  const parts = [
    new SolutionPart(session, signal, SOLVE),
    new InstructionPart(session, signal),
    new SolutionPart(session, signal, OPTIMISE),
    new RatePart(session, signal),
    new GeneratePart(app, signal),
  ];
  element.append(inStack(...parts.map((part) => part.element)));
}
