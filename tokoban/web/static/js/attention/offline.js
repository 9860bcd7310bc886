// What a page that stands alone does: it shows the panels that are written in it.

import { attentionStrings } from "../strings/attention.js";
import { AttentionViewer } from "./viewer.js";

const { panels } = JSON.parse(document.getElementById("data").textContent);
const inEnglish = (key, values = {}) =>
  attentionStrings[key].en.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
new AttentionViewer(document.getElementById("viewer"), panels, inEnglish);
