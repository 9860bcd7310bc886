/** The labs: the other systems, each with an example and its attention. */

import { AttentionViewer } from "../attention/viewer.js";
import { LatestJob, answered } from "../jobs/latest_job.js";
import { whenQuiet } from "../jobs/when_quiet.js";
import { el, inStack } from "../shell/dom.js";
import { hashOf } from "../shell/router.js";
import { sentenceOf } from "../shell/sentences.js";
import { TABLE, t } from "../strings/index.js";
import { lab as life } from "./labs/life.js";
import { lab as memory } from "./labs/memory.js";
import { lab as pictures } from "./labs/pictures.js";
import { lab as text } from "./labs/text.js";
import { lab as translation } from "./labs/translation.js";

/**
 * What a lab is given: the app, its jobs, and a place for the attention of what it shows.
 * @typedef {object} Bench
 * @property {import("../shell/app.js").App} app
 * @property {AbortSignal} signal when the lab is left
 * @property {() => LatestJob} newJob
 * @property {(panels: import("../attention/weights.js").PanelData[]) => AttentionViewer} showAttention
 * @property {() => void} hideAttention where there is nothing to attend
 * @property {(run: () => void) => () => void} whenQuiet asks for work once typing or drawing rests
 */

/**
 * A lab fills an element. Its words have its name, "labs.<id>", and what it is, "labs.<id>-about".
 * @typedef {{id: string, words: Record<string, {en: string, de: string}>,
 *   mount: (element: HTMLElement, bench: Bench) => void}} Lab
 */

/** A job that takes longer than this is announced as working. */
const SILENT_MS = 300;
/** The pause in typing or drawing before the network is asked. */
const QUIET_MS = 350;

/** @type {Lab[]} */
const LABS = [translation, text, life, pictures, memory];

for (const { words } of LABS) Object.assign(TABLE, words);

/** @type {import("../shell/app.js").View["mount"]} */
export function mount(element, app, params, signal) {
  const lab = LABS.find(({ id }) => id === params[0]) ?? LABS[0];
  const links = LABS.map(({ id }) =>
    el(
      "a",
      { class: "button", href: hashOf("labs", [id]), "aria-current": id === lab.id && "page" },
      t(`labs.${id}`),
    ),
  );
  const status = el("p", { class: "soft", role: "status" });
  const name = el("h2", {}, t(`labs.${lab.id}`));
  const about = el("p", {}, t(`labs.${lab.id}-about`));
  const content = inStack();
  const attention = el("section", { class: "card lab-attention", hidden: true });
  attention.setAttribute("aria-label", t("labs.attention"));
  element.append(
    el(
      "div",
      { class: "stack labs" },
      el("h1", {}, t("labs.title")),
      el("nav", { class: "row", "aria-label": t("labs.title") }, ...links),
      el("section", { class: "card stack" }, name, about, content, status),
      attention,
    ),
  );

  /** @type {AttentionViewer | null} */
  let viewer = null;
  lab.mount(content, {
    app,
    signal,
    newJob() {
      let timer = 0;
      return new LatestJob({
        signal,
        say(text) {
          clearTimeout(timer);
          const show = () => (status.textContent = text);
          // A job that ends soon is not announced as working.
          if (text && !status.textContent) timer = setTimeout(show, SILENT_MS);
          else show();
        },
        doing: (kind) => t(answered.has(kind) ? "work.running" : "opinion.loading"),
        fail: (error) => (status.textContent = sentenceOf(error)),
      });
    },
    showAttention(panels) {
      attention.hidden = false;
      if (viewer) viewer.show(panels);
      else viewer = new AttentionViewer(attention, panels, t);
      return viewer;
    },
    hideAttention() {
      attention.hidden = true;
    },
    whenQuiet: (run) => whenQuiet(run, QUIET_MS, signal),
  });
  signal.addEventListener("abort", () => viewer?.dispose());
}
