// The script of a stand-alone page: it shows the panels that the page contains.

import { attentionStrings } from "../strings/attention.js";
import { AttentionViewer } from "./viewer.js";

/** @param {string} id @returns {HTMLElement} of the page that Python writes */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const { panels } = JSON.parse(part("data").textContent ?? "");
/** @type {import("./words.js").Translate} */
const inEnglish = (key, values = {}) =>
  attentionStrings[key].en.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
const viewer = new AttentionViewer(part("viewer"), panels, inEnglish);
part("rollout").hidden = !viewer.panels.some((panel) => panel.hasRollout);
