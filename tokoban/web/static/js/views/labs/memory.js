/** Memory: an episode of a card game in which the player must look back three steps. */

import { AttentionWeights } from "../../attention/weights.js";
import { button, el, inRow } from "../../shell/dom.js";
import { number, t } from "../../strings/index.js";

const SUITS = ["♣", "♦", "♥", "♠"];

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.memory": { en: "Memory", de: "Gedächtnis" },
  "labs.memory-about": {
    en: "Cards are dealt one by one, and the player must name the suit of the card three steps before. It "
      + "learned this by reinforcement alone; its memory is a transformer.",
    de: "Karten werden einzeln ausgeteilt, und der Spieler muss die Farbe der Karte drei Schritte davor "
      + "nennen. Das hat er allein durch Belohnung gelernt; sein Gedächtnis ist ein Transformer.",
  },
  "labs.new-episode": { en: "New episode", de: "Neue Episode" },
  "labs.episode": { en: "Episode", de: "Episode" },
  "labs.memory-right": {
    en: "{right} of {all} answers are right.", de: "{right} von {all} Antworten sind richtig.",
  },
  "labs.memory-look": {
    en: "Head {head} of layer {layer} gives a weight of {weight} to the card {back} {back|step|steps} "
      + "back, on average.",
    de: "Kopf {head} von Schicht {layer} gibt der Karte vor {back} {back|Schritt|Schritten} im Mittel "
      + "das Gewicht {weight}.",
  },
  "labs.memory-legend": {
    en: "Top: the card dealt; bottom: the answer. The edge is green if it is right, double "
      + "and red if it is wrong, grey while nothing is asked. Choose a step to see below where the "
      + "player looked; there card→answer stands for a step.",
    de: "Oben die ausgeteilte Karte, unten die Antwort. Der Rand ist grün, wenn sie stimmt, doppelt "
      + "und rot, wenn nicht, und grau, solange nichts gefragt ist. Einen Schritt wählen, um unten zu "
      + "sehen, wohin der Spieler schaute; dort steht Karte→Antwort für einen Schritt.",
  },
  "labs.suit-0": { en: "clubs", de: "Kreuz" },
  "labs.suit-1": { en: "diamonds", de: "Karo" },
  "labs.suit-2": { en: "hearts", de: "Herz" },
  "labs.suit-3": { en: "spades", de: "Pik" },
  "labs.card": {
    en: "step {step}: {seen} dealt, {answer} said, {verdict}",
    de: "Schritt {step}: {seen} ausgeteilt, {answer} gesagt, {verdict}",
  },
  "labs.card-free": { en: "nothing asked yet", de: "noch keine Frage" },
  "labs.card-right": { en: "right", de: "richtig" },
  "labs.card-wrong": { en: "wrong", de: "falsch" },
};

/** @type {import("../labs.js").Lab} */
export const lab = { id: "memory", words, mount };

/** @type {import("../labs.js").Lab["mount"]} */
function mount(element, { newJob, showAttention }) {
  const job = newJob();
  let seed = 0;
  const steps = el("ol", { class: "row lab-steps", "aria-label": t("labs.episode") });
  const summary = el("p", { class: "note", role: "status" });

  async function play() {
    const done = await job.run("remember", { seed });
    if (!done) return;
    const { layer, head, steps_back: back, weight } = done.look;
    const choice = { layer: layer - 1, head: head - 1 };
    const viewer = showAttention(done.panels.map((/** @type {any} */ panel) =>
      ({ ...panel, start: { ...choice, query: usualQuery(panel, choice, back) } })));
    const shown = done.steps.map((/** @type {any} */ step, /** @type {number} */ index) => {
      const pressed = button({
        label: describe(step, index), text: false, class: classOf(step),
        run: () => viewer.chooseQuery(index),
      });
      pressed.append(el("span", {}, SUITS[step.seen]), el("span", {}, SUITS[step.answer]));
      return el("li", {}, pressed);
    });
    steps.replaceChildren(...shown);
    const asked = done.steps.filter((/** @type {any} */ step) => step.asked !== null);
    const right = asked.filter((/** @type {any} */ step) => step.asked === step.answer).length;
    summary.textContent = [
      t("labs.memory-right", { right, all: asked.length }),
      t("labs.memory-look", { layer, head, back, weight: number(weight, 2) }),
    ].join(" ");
  }

  element.append(
    inRow(button({
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
}

/**
 * The step that gives the median weight to the one so many steps back.
 * @param {import("../../attention/weights.js").PanelData} panel
 * @param {import("../../attention/weights.js").Choice} choice
 * @param {number} back
 */
function usualQuery(panel, choice, back) {
  const weights = new AttentionWeights(panel);
  const shares = Array.from({ length: weights.numQueries - back }, (_, index) => {
    const query = index + back;
    return { query, share: weights.row(choice, query)[index] };
  });
  shares.sort((one, other) => one.share - other.share);
  return shares[Math.floor(shares.length / 2)].query;
}

/**
 * @param {{seen: number, answer: number, asked: number | null}} step
 * @param {number} index
 */
function describe(step, index) {
  const [seen, answer] = [step.seen, step.answer].map((suit) => t(`labs.suit-${suit}`));
  return t("labs.card", { step: index + 1, seen, answer, verdict: t(`labs.${classOf(step)}`) });
}

/** @param {{answer: number, asked: number | null}} step */
function classOf({ answer, asked }) {
  if (asked === null) return "card-free";
  return asked === answer ? "card-right" : "card-wrong";
}
