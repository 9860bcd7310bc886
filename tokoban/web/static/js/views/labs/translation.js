/** Translation: type a sentence; see its translations and where the translator looks. */

import { button, choice, el, inRow, inStack } from "../../shell/dom.js";
import { number, t } from "../../strings/index.js";

/** @type {Record<string, string>} */
const EXAMPLES = {
  de: "Mein Bruder hat gestern seinen Schlüssel verloren.",
  en: "My brother lost his keys yesterday.",
};
const LONGEST = "400";

/** Tokens without a text, as the server writes them. @type {Record<string, string>} */
const SPECIAL = { "(start)": "labs.token-start", "(end)": "labs.token-end" };

/**
 * Tokens, with the special ones named in the page's language.
 * @param {{labels: string[]}} row
 */
function inWords(row) {
  return { ...row, labels: row.labels.map((label) => (label in SPECIAL ? t(SPECIAL[label]) : label)) };
}

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.translation": { en: "Translation", de: "Übersetzung" },
  "labs.translation-about": {
    en: "A transformer with encoder and decoder, trained on everyday sentences and captions. The "
      + "first attention panel opens at the head that acts most like a dictionary: each output "
      + "token attends to the source token that it translates.",
    de: "Ein Transformer mit Encoder und Decoder, mit Alltagssätzen und Bildunterschriften trainiert. Die erste "
      + "Attention-Ansicht beginnt mit dem Kopf, der am ehesten wie ein Wörterbuch arbeitet: Jedes "
      + "geschriebene Token schaut auf das Token der Quelle, das es übersetzt.",
  },
  "labs.direction": { en: "Direction", de: "Richtung" },
  "labs.de-en": { en: "German to English", de: "Deutsch nach Englisch" },
  "labs.en-de": { en: "English to German", de: "Englisch nach Deutsch" },
  "labs.sentence": { en: "Sentence", de: "Satz" },
  "labs.prefix": {
    en: "Begin the translation with (optional)", de: "Beginn der Übersetzung vorgeben (optional)",
  },
  "labs.translations": {
    en: "Translations, the best first", de: "Übersetzungen, die beste zuerst",
  },
  "labs.score": { en: "score {score}", de: "Score {score}" },
  "labs.score-unit": {
    en: "The score is the log-probability in nats, divided by the length penalty; two other "
      + "networks add to it.",
    de: "Der Score ist die Log-Wahrscheinlichkeit in Nats, geteilt durch die Längenstrafe; zwei "
      + "andere Netze tragen dazu bei.",
  },
  "labs.usable": {
    en: "Confidence of the first: {share} %.", de: "Konfidenz der ersten: {share} %.",
  },
  "labs.doubtful": {
    en: "Confidence of the first: {share} %. It is probably not usable.",
    de: "Konfidenz der ersten: {share} %. Sie ist wahrscheinlich nicht brauchbar.",
  },
  "labs.token-start": { en: "(start)", de: "(Anfang)" },
  "labs.token-end": { en: "(end)", de: "(Ende)" },
  "labs.panel-cross": { en: "translation to source", de: "Übersetzung auf Quelle" },
  "labs.panel-source": { en: "source to itself", de: "Quelle auf sich selbst" },
  "labs.panel-target": { en: "translation to itself", de: "Übersetzung auf sich selbst" },
};

/** @type {import("../labs.js").Lab} */
export const lab = { id: "translation", words, mount };

/** @type {import("../labs.js").Lab["mount"]} */
function mount(element, { newJob, showAttention, hideAttention, whenQuiet }) {
  const job = newJob();
  let source = "de";
  let shown = 0;
  const text = el("textarea", { id: "lab-text", rows: "2", maxlength: LONGEST, oninput: () => typed() });
  const prefix = el("input", { id: "lab-prefix", type: "text", maxlength: LONGEST, oninput: () => typed() });
  const found = el("ol", { class: "list lab-found", "aria-label": t("labs.translations") });
  const certainty = el("p", { class: "note", hidden: true });

  function clear() {
    found.replaceChildren();
    certainty.hidden = true;
    hideAttention();
  }
  async function translate() {
    if (!text.value.trim()) {
      job.stop();
      clear();
      return;
    }
    const done = await job.run("translate", {
      source, text: text.value, prefix: prefix.value, shown,
    });
    if (!done && !job.isRunning) clear(); // it failed: what is there is of another sentence
    if (!done) return;
    // Fewer translations than before may have come.
    shown = Math.min(shown, done.translations.length - 1);
    certainty.hidden = done.confidence === null; // of a given beginning
    certainty.classList.toggle("warn", done.is_doubtful);
    certainty.textContent = t(done.is_doubtful ? "labs.doubtful" : "labs.usable", {
      share: number(Math.round(100 * done.confidence)),
    });
    found.replaceChildren(
      ...done.translations.map((/** @type {any} */ one, /** @type {number} */ index) => {
        const pressed = button({
          label: one.text, text: true, class: "plain",
          run: () => {
            shown = index;
            translate();
          },
        });
        pressed.setAttribute("aria-pressed", String(index === shown));
        const score = number(Math.round(one.score * 100) / 100);
        return el("li", {}, pressed, el("span", { class: "soft" }, t("labs.score", { score })));
      }),
    );
    const names = ["labs.panel-cross", "labs.panel-source", "labs.panel-target"];
    showAttention(
      done.panels.map((/** @type {any} */ panel, /** @type {number} */ index) => ({
        ...panel,
        name: t(names[index]),
        queries: inWords(panel.queries),
        keys: panel.keys && inWords(panel.keys), // null where they are the queries
      })),
    );
  }
  const later = whenQuiet(translate);
  function typed() {
    shown = 0;
    later();
  }

  /** @param {string} language */
  function from(language) {
    source = language;
    text.value = EXAMPLES[language];
    text.lang = language;
    prefix.value = "";
    shown = 0;
    translate();
  }
  element.append(
    el("div", { class: "row lab-two" },
      inStack(
        inRow(choice({
          label: t("labs.direction"),
          options: [["de", t("labs.de-en")], ["en", t("labs.en-de")]],
          value: source,
          change: from,
        })),
        el("label", { for: "lab-text" }, t("labs.sentence")), text,
        el("label", { for: "lab-prefix" }, t("labs.prefix")), prefix),
      inStack(
        el("h3", {}, t("labs.translations")), found,
        el("p", { class: "soft" }, t("labs.score-unit")), certainty)),
  );
  from(source);
}
