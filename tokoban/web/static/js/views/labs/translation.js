/** Translation: type a sentence; see its translations and where the translator looks. */

import { button, choice, el, inRow, inStack } from "../../shell/dom.js";
import { copyText } from "../../shell/share.js";
import { number, t } from "../../strings/index.js";

/** @type {Record<string, string>} */
const EXAMPLES = {
  de: "Mein Bruder hat gestern seinen Schlüssel verloren.",
  en: "My brother lost his keys yesterday.",
};

/**
 * What was typed and chosen, until the page is closed; each language has its own beginning.
 * @type {{source: string, text: string, prefixes: Record<string, string>, shown: number, sentence: number}}
 */
const kept = { source: "de", text: EXAMPLES.de, prefixes: { de: "", en: "" }, shown: 0, sentence: 0 };

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
  "labs.source": {
    en: "Text (each line is translated by itself)", de: "Text (jede Zeile wird für sich übersetzt)",
  },
  "labs.prefix": {
    en: "Begin the translation with (optional)", de: "Beginn der Übersetzung vorgeben (optional)",
  },
  "labs.translations": {
    en: "Translations, the best first", de: "Übersetzungen, die beste zuerst",
  },
  "labs.copy": { en: "Copy the chosen translation", de: "Gewählte Übersetzung kopieren" },
  "labs.attention-in": { en: "Attention in", de: "Aufmerksamkeit in" },
  "labs.score": { en: "score {score}", de: "Score {score}" },
  "labs.score-unit": {
    en: "The score: the natural logarithm of the probability, divided by a penalty for length, plus "
      + "what two other networks find.",
    de: "Der Score: der natürliche Logarithmus der Wahrscheinlichkeit, geteilt durch eine "
      + "Längenstrafe, und dazu, was zwei andere Netze finden.",
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
function mount(element, { app, newJob, showAttention, hideAttention, whenQuiet }) {
  const job = newJob();
  const text = el("textarea", { id: "lab-text", rows: "6", oninput: () => typed() }, kept.text);
  const prefix = el("input", { id: "lab-prefix", type: "text", oninput: () => typed() });
  const found = el("ol", { class: "list lab-found", "aria-label": t("labs.translations") });
  const certainty = el("p", { class: "note", hidden: true });
  const sentences = el("div", {});
  let [chosen, listed] = ["", ""];
  const copy = button({ label: t("labs.copy"), run: () => copyText(app, chosen) });
  copy.disabled = true; // until there is one

  function clear() {
    found.replaceChildren();
    showSentences([]);
    copy.disabled = certainty.hidden = true;
    hideAttention();
  }
  async function translate() {
    const { source, shown, sentence } = kept;
    if (!text.value.trim()) {
      job.stop();
      clear();
      return;
    }
    const request = { source, text: text.value, prefix: prefix.value, shown, sentence };
    const done = await job.run("translate", request, (event) => {
      if (event.text) found.replaceChildren(el("li", {}, event.text));
    });
    if (!done && !job.isRunning) clear(); // it failed: what is there is of another sentence
    if (!done) return;
    // Fewer translations or sentences than before may have come.
    kept.shown = Math.min(shown, done.translations.length - 1);
    kept.sentence = Math.min(sentence, done.sentences.length - 1);
    chosen = done.translations[kept.shown].text;
    copy.disabled = false;
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
            kept.shown = index;
            translate();
          },
        });
        pressed.setAttribute("aria-pressed", String(index === kept.shown));
        const score = number(one.score, 2);
        return el("li", {}, pressed, el("span", { class: "soft" }, t("labs.score", { score })));
      }),
    );
    showSentences(done.sentences);
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
  /** @param {string[]} all of the text, each translated by itself */
  function showSentences(all) {
    if (all.join("\n") === listed) return; // the choice keeps the focus
    listed = all.join("\n");
    const choose = choice({
      label: t("labs.attention-in"),
      options: all.map((sentence, index) => [`${index}`, sentence]),
      value: `${kept.sentence}`,
      change: (index) => {
        kept.sentence = Number(index);
        translate();
      },
    });
    sentences.replaceChildren(...(all.length > 1 ? [choose] : []));
  }
  const later = whenQuiet(translate);
  function typed() {
    kept.text = text.value;
    kept.prefixes[kept.source] = prefix.value;
    kept.shown = 0;
    later();
  }

  /** @param {string} language */
  function from(language) {
    text.lang = kept.source = language;
    prefix.value = kept.prefixes[language];
    translate();
  }
  element.append(
    el("div", { class: "row lab-two" },
      inStack(
        inRow(choice({
          label: t("labs.direction"),
          options: [["de", t("labs.de-en")], ["en", t("labs.en-de")]],
          value: kept.source,
          change: (language) => {
            const isExample = Object.values(EXAMPLES).includes(text.value);
            if (isExample || !text.value.trim()) text.value = kept.text = EXAMPLES[language];
            kept.shown = 0;
            from(language);
          },
        })),
        el("label", { for: "lab-text" }, t("labs.source")), text,
        el("label", { for: "lab-prefix" }, t("labs.prefix")), prefix),
      inStack(
        el("h3", {}, t("labs.translations")), found,
        inRow(copy),
        el("p", { class: "soft" }, t("labs.score-unit")), certainty, sentences)),
  );
  from(kept.source);
}
