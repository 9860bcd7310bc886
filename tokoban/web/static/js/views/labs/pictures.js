/** Pictures: draw a board; a vision transformer says whether it is solved, open or lost. */

import { MEAN, ROLLOUT } from "../../attention/weights.js";
import { DrawingCanvas } from "../../editor/canvas.js";
import { Draft } from "../../editor/draft.js";
import { complaints } from "../../editor/legality.js";
import { button, el, inRow, inStack } from "../../shell/dom.js";
import { t } from "../../strings/index.js";
import { shareBar } from "./share_bar.js";

/** What keeps a drawing from being a board; one that is solved or lost is welcome. */
const FAULTS = new Set(["problem.no-player", "problem.no-box", "problem.unequal", "edit.open"]);
/** @type {Record<string, string[]>} */
const EXAMPLES = {
  open: [
    "########", "#      #", "# $.   #", "#   ## #", "# $ .# #", "#  @   #", "#      #", "########",
  ],
  lost: [
    "########", "#$     #", "#  .   #", "#   ## #", "# $ .# #", "#  @   #", "#      #", "########",
  ],
  solved: [
    "########", "#      #", "#  *   #", "#   ## #", "#   *# #", "#  @   #", "#      #", "########",
  ],
};

/** @type {Record<string, {en: string, de: string}>} */
const words = {
  "labs.pictures": { en: "Pictures", de: "Bilder" },
  "labs.examples": { en: "Examples:", de: "Beispiele:" },
  "labs.pictures-about": {
    en: "A vision transformer sees the board as a picture, a patch for each square, and says whether "
      + "it is solved, open or lost. It is right for 96 % of its test boards; the exact solver "
      + "checks it. Rollout shows how attention passes on the patches, not what decided.",
    de: "Ein Vision Transformer sieht das Brett als Bild, ein Bildstück je Feld, und sagt, ob es gelöst, "
      + "offen oder verloren ist. Bei 96 % seiner Testbretter hat er recht; der exakte Löser prüft ihn. "
      + "Rollout zeigt, wie Attention die Bildstücke weiterreicht, nicht was den Ausschlag gab.",
  },
  "labs.classes": { en: "What the network says", de: "Was das Netz sagt" },
  "labs.class-solved": { en: "solved", de: "gelöst" },
  "labs.class-open": { en: "open", de: "offen" },
  "labs.class-lost": { en: "lost", de: "verloren" },
  "labs.proving": { en: "The solver is at work …", de: "Der Löser rechnet …" },
  "labs.proved-solved": { en: "The board is solved.", de: "Das Brett ist gelöst." },
  "labs.proved-open": {
    en: "Proved open: the solver found a solution.",
    de: "Bewiesen offen: Der Löser hat eine Lösung gefunden.",
  },
  "labs.proved-lost": {
    en: "Proved lost: no solution exists.", de: "Bewiesen verloren: Es gibt keine Lösung.",
  },
  "labs.proved-unknown": {
    en: "The solver found no answer within two seconds.",
    de: "Der Löser hat in zwei Sekunden keine Antwort gefunden.",
  },
};

/** @type {import("../labs.js").Lab} */
export const lab = { id: "pictures", words, mount };

/** @type {import("../labs.js").Lab["mount"]} */
function mount(element, { app, newJob, showAttention, whenQuiet, signal }) {
  const job = newJob();
  const draft = new Draft(EXAMPLES.open);
  const canvas = new DrawingCanvas(draft, app, signal);
  const bars = el("ol", { class: "lab-bars", "aria-label": t("labs.classes") });
  const proof = el("p", { class: "note", role: "status" });

  const look = whenQuiet(classify);
  async function classify() {
    const [fault] = complaints(draft.board).filter(({ key }) => FAULTS.has(key));
    proof.textContent = fault ? t(fault.key, fault.values) : t("labs.proving");
    if (fault) return job.stop();
    const done = await job.run("classify", { board: draft.rows.join("\n") }, (event) => {
      if (event.event !== "answer") return;
      bars.replaceChildren(...event.classes.map(barOf));
      // The class token after all layers: from it the class is predicted.
      const start = { layer: ROLLOUT, head: MEAN, query: 0 };
      showAttention(event.panels.map((/** @type {any} */ panel) => ({ ...panel, start })));
    });
    if (done) proof.textContent = t(`labs.proved-${done.proved}`);
    // What a later drawing says stays.
    else if (!job.isRunning && proof.textContent === t("labs.proving")) proof.textContent = "";
  }

  draft.addEventListener("change", () => {
    canvas.show([]);
    look();
  });
  const examples = Object.entries(EXAMPLES).map(([name, rows]) =>
    button({ label: t(`labs.class-${name}`), text: true, run: () => draft.load(rows) }));
  element.append(
    el("div", { class: "row lab-two" },
      canvas.element,
      inStack(
        canvas.toolbar,
        inRow(el("span", {}, t("labs.examples")), ...examples),
        el("h3", {}, t("labs.classes")), bars, proof)),
  );
  canvas.show([]);
  classify();
}

/** @param {{name: string, probability: number}} found */
function barOf({ name, probability }) {
  return shareBar(el("span", {}, t(`labs.class-${name}`)), probability);
}
