/** GPT: type a text; see the next tokens by probability, and where each token looks. */

import { shown } from "../../attention/words.js";
import { button, el, inRow, inStack } from "../../shell/dom.js";
import { number, t } from "../../strings/index.js";
import { shareBar } from "./share_bar.js";

const LONGEST = "4000";
const NUM_NEW_TOKENS = 40;

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.text": { en: "Text", de: "Text" },
  "labs.text-about": {
    en: "A small GPT, trained on single everyday sentences in English and German; it answers no "
      + "questions, and each line is a sentence of its own. Tokens are pieces of words. Choose a next "
      + "token to append it. Look for heads that attend to the token before, or to an earlier place of "
      + "the same token.",
    de: "Ein kleines GPT, mit einzelnen Alltagssätzen auf Deutsch und Englisch trainiert; es beantwortet "
      + "keine Fragen, und jede Zeile ist ein Satz für sich. Token sind Wortstücke. Ein nächstes Token "
      + "auswählen, um es anzuhängen. Es gibt Köpfe, die auf das Token davor schauen oder auf eine "
      + "frühere Stelle desselben Tokens.",
  },
  "labs.text-example": {
    en: "When I was a child, I often went to the",
    de: "Als ich ein Kind war, bin ich oft mit meinem",
  },
  "labs.continue": { en: "Continue by 40 tokens", de: "Um 40 Token fortsetzen" },
  "labs.temperature": { en: "Temperature", de: "Temperatur" },
  "labs.next": {
    en: "Next tokens: shares among these at this temperature",
    de: "Nächste Token: Anteile untereinander bei dieser Temperatur",
  },
  "labs.seen-all": {
    en: "{all} {all|token|tokens}; attention is shown below.",
    de: "{all} Token; die Attention steht unten.",
  },
  "labs.seen-part": {
    en: "Attention is shown for the last {seen} of {all} tokens.",
    de: "Die Attention wird für die letzten {seen} von {all} Token gezeigt.",
  },
};

/** @typedef {{text: string, probability: number}} Next */

/** @type {import("../labs.js").Lab} */
export const lab = { id: "text", words, mount };

/** @type {import("../labs.js").Lab["mount"]} */
function mount(element, { newJob, showAttention, whenQuiet }) {
  const [looking, writing] = [newJob(), newJob()];
  let seed = 0;
  const text = el("textarea", { id: "lab-text", rows: "8", maxlength: LONGEST, oninput: () => later() });
  text.value = t("labs.text-example");
  const chosen = el("output", { for: "lab-temperature" }, number(0.3));
  const temperature = el("input", {
    id: "lab-temperature", type: "range", min: "0", max: "1.5", step: "0.1", value: "0.3",
    oninput: () => {
      chosen.textContent = number(Number(temperature.value));
      showBars();
    },
  });
  const bars = el("ol", { class: "lab-bars", "aria-label": t("labs.next") });
  const seen = el("p", { class: "soft" });
  /** @type {Next[]} at temperature 1, the most probable first */
  let next = [];

  function showBars() {
    const shares = sharesAt(Number(temperature.value), next);
    bars.replaceChildren(...next.map((one, index) => barOf(one, shares[index])));
  }

  async function look() {
    const done = await looking.run("next_tokens", { text: text.value });
    if (!done) return;
    next = done.next;
    showBars();
    seen.textContent = done.num_seen < done.num_tokens
      ? t("labs.seen-part", { seen: done.num_seen, all: done.num_tokens })
      : t("labs.seen-all", { all: done.num_tokens });
    showAttention(done.panels);
  }
  const later = whenQuiet(look);

  /** @param {Next} one @param {number} share */
  function barOf(one, share) {
    const add = button({
      label: shown(one.text), text: true, class: "mono",
      run: () => {
        text.value += one.text;
        look();
      },
    });
    return shareBar(add, share);
  }

  const write = button({ label: t("labs.continue"), text: true, class: "primary", run: goOn });
  async function goOn() {
    if (writing.isRunning) {
      writing.stop();
      return;
    }
    const before = text.value;
    seed += 1;
    write.textContent = t("app.cancel");
    // What is typed or chosen meanwhile would be written over.
    text.readOnly = bars.inert = true;
    const args = {
      text: before, num_tokens: NUM_NEW_TOKENS, temperature: Number(temperature.value), seed,
    };
    const done = await writing.run("continue_text", args, (event) => {
      if (event.event === "progress" && "text" in event) text.value = before + event.text;
    });
    write.textContent = t("labs.continue");
    text.readOnly = bars.inert = false;
    if (done) text.value = before + done.text;
    look();
  }

  element.append(
    el("div", { class: "row lab-two" },
      inStack(
        el("label", { for: "lab-text" }, t("labs.text")), text,
        inRow(write,
          el("label", { for: "lab-temperature" }, t("labs.temperature")), temperature, chosen),
        seen),
      inStack(el("h3", {}, t("labs.next")), bars)),
  );
  look();
}

/**
 * The shares of tokens among these; at temperature 0 the first has all.
 * @param {number} temperature
 * @param {Next[]} next at temperature 1, the most probable first
 * @returns {number[]}
 */
function sharesAt(temperature, next) {
  const most = next[0]?.probability;
  const powers = next.map(({ probability }, index) =>
    temperature > 0 ? (probability / most) ** (1 / temperature) : Number(index === 0));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
