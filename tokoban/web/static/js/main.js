/** The page: its views and panels, in the order in which they are shown. */

import { view as editor } from "./views/editor.js";
import { view as labs } from "./views/labs.js";
import { view as levels } from "./views/levels.js";
import { view as play } from "./views/play.js";
import { panel as moves } from "./panels/moves.js";
import { panel as understand } from "./panels/understand.js";
import { panel as watch } from "./panels/watch.js";
import { panel as work } from "./panels/work.js";
import { App } from "./shell/app.js";

/** The one app of the page. */
export const app = new App({
  views: [play, levels, editor, labs],
  panels: [moves, understand, watch, work],
});
app.render();
