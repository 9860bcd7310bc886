/** Memory: an episode of a card game in which the player must look back three steps. */

import { button, el } from "../../shell/dom.js";
import { number, t } from "../../strings/index.js";

const SUITS = ["♣", "♦", "♥", "♠"];

/** @type {import("../labs.js").Lab} */
export const lab = { id: "memory", mount };

/**
 * @param {HTMLElement} element
 * @param {import("../labs.js").Bench} bench
 */
function mount(element, { newJob, showAttention }) {
  const job = newJob();
  let seed = 0;
  const steps = el("ol", { class: "lab-steps", "aria-label": t("labs.episode") });
  const summary = el("p", { class: "note", role: "status" });

  async function play() {
    const done = await job.run("remember", { seed });
    if (!done) return;
    const viewer = showAttention([{ ...done.panels[0], name: t("labs.episode") }]);
    steps.replaceChildren(...done.steps.map((/** @type {any} */ step, /** @type {number} */ index) =>
      el("li", {}, button({
        label: describe(step, index), text: false, class: classOf(step),
        run: () => viewer.chooseQuery(index),
      }))));
    [...steps.querySelectorAll("button")].forEach((pressed, index) => {
      const { seen, answer } = done.steps[index];
      pressed.append(el("span", {}, SUITS[seen]), el("span", {}, SUITS[answer]));
    });
    const asked = done.steps.filter((/** @type {any} */ step) => step.asked !== null);
    const right = asked.filter((/** @type {any} */ step) => step.asked === step.answer).length;
    const { layer, head, steps_back: back, weight } = done.look;
    summary.textContent = [
      t("labs.memory-right", { right, all: asked.length }),
      t("labs.memory-look", { layer, head, back, weight: number(Math.round(weight * 100) / 100) }),
    ].join(" ");
  }

  element.append(
    el("p", {}, t("labs.memory-about")),
    el("div", { class: "row" }, button({
      label: t("labs.new-episode"), text: true, class: "primary",
      run: () => {
        seed += 1;
        play();
      },
    })),
    summary,
    el("p", { class: "soft" }, t("labs.memory-legend")),
    steps,
  );
  play();
  return () => {};
}

/**
 * @param {{seen: number, answer: number, asked: number | null}} step
 * @param {number} index
 */
function describe({ seen, answer, asked }, index) {
  const values = { step: index + 1, seen: t(`labs.suit-${seen}`), answer: t(`labs.suit-${answer}`) };
  if (asked === null) return t("labs.card-free", values);
  return t(asked === answer ? "labs.card-right" : "labs.card-wrong", values);
}

/** @param {{answer: number, asked: number | null}} step */
function classOf({ answer, asked }) {
  if (asked === null) return "card-free";
  return asked === answer ? "card-right" : "card-wrong";
}
