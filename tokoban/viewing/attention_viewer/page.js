"use strict";

const ROLLOUT = "rollout";
const MEAN = "mean";
const MOST_BUTTONS = 8; // of panels; more of them are gone through by a slider
const NUM_GREATEST = 10;
const MAP_SIZE = 64; // pixels of a small map; of more tokens it shows the greatest of neighbours
const LARGE_MAP_SIZE = 1024;
const MOST_PRODUCTS = 2e8; // for a map of rollout, of which each row is a pass through all layers

// The numbers.

function bytesOf(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

class Panel {
  constructor(data) {
    this.name = data.name;
    [this.numLayers, this.numHeads, this.numQueries, this.numKeys] = data.shape;
    this.layers = data.layers ?? Array.from({ length: this.numLayers }, (_, i) => i + 1);
    this.queries = data.queries;
    this.keys = data.keys ?? data.queries;
    this.isSelf = data.keys === null;
    // It goes through all layers, so all must be here.
    this.hasRollout = this.isSelf && data.layers === null && this.numLayers > 1;
    this.start = data.start;
    this.base64 = data.weights;
    this.means = [];
  }

  get weights() {
    if (this.base64 !== null) {
      this.numbers = new Float32Array(bytesOf(this.base64).buffer);
      this.base64 = null;
    }
    return this.numbers;
  }

  // What one query gives to every key.
  row({ layer, head }, query) {
    if (layer === ROLLOUT) return this.rollout(query);
    if (head === MEAN) {
      return this.mean(layer).subarray(query * this.numKeys, (query + 1) * this.numKeys);
    }
    const start = ((layer * this.numHeads + head) * this.numQueries + query) * this.numKeys;
    return this.weights.subarray(start, start + this.numKeys);
  }

  // Of a layer over its heads: all queries, then all keys of each.
  mean(layer) {
    if (!this.means[layer]) {
      const size = this.numQueries * this.numKeys;
      const mean = new Float32Array(size);
      for (let head = 0; head < this.numHeads; head += 1) {
        const start = (layer * this.numHeads + head) * size;
        for (let i = 0; i < size; i += 1) mean[i] += this.weights[start + i] / this.numHeads;
      }
      this.means[layer] = mean;
    }
    return this.means[layer];
  }

  // What of the inputs reaches a token of the last layer, half of each layer being the token itself.
  rollout(query) {
    let reached = new Float32Array(this.numKeys);
    reached[query] = 1;
    for (let layer = this.numLayers - 1; layer >= 0; layer -= 1) {
      const before = new Float32Array(this.numKeys);
      for (let token = 0; token < this.numKeys; token += 1) {
        if (reached[token] === 0) continue;
        const row = this.row({ layer, head: MEAN }, token);
        let looked = 0;
        for (let key = 0; key < this.numKeys; key += 1) {
          before[key] += (reached[token] / 2) * row[key];
          looked += row[key];
        }
        // A token that may look at nothing keeps all of itself.
        before[token] += reached[token] * (1 - looked / 2);
      }
      reached = before;
    }
    return reached;
  }

  hasShapeOf(other) {
    return ["numLayers", "numHeads", "numQueries", "numKeys"].every(
      (name) => this[name] === other[name],
    );
  }

  describe({ layer, head }) {
    if (layer === ROLLOUT) return "rollout";
    const heads = head === MEAN ? "mean of its heads" : `head ${head + 1}`;
    return `layer ${this.layers[layer]}, ${heads}`;
  }
}

function greatest(numbers) {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

// Words.

function shown(label) {
  const seen = label.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return seen.replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length)) || "∅";
}

function nameOf(layout, index) {
  if (layout.kind === "grid") {
    const cell = index - layout.has_class_token;
    if (cell < 0) return "the class token";
    const [row, column] = [Math.floor(cell / layout.width) + 1, (cell % layout.width) + 1];
    const label = layout.labels?.[cell] ?? "";
    return `row ${row}, column ${column} ${label && shown(label)}`.trim();
  }
  const label = `“${shown(layout.labels[index])}”`;
  if (layout.row_length === null) return `${label} (${index + 1})`;
  const [row, place] = [Math.floor(index / layout.row_length), index % layout.row_length];
  return `${label} (row ${row + 1}, ${place + 1})`;
}

function short(weight) {
  if (weight === 0) return "0";
  if (weight < 0.0005) return "<.001";
  return weight > 0.9995 ? "1" : weight.toFixed(3).replace(/^0/, "");
}

function rounded(weight) {
  return String(Number(weight.toPrecision(3)));
}

// The page's parts.

const find = (id) => document.getElementById(id);
const panels = JSON.parse(find("data").textContent).panels.map((data) => new Panel(data));
const state = { panel: panels[0], ...panels[0].start, held: null };
let queryTokens = [];
let keyTokens = [];
let mapButtons = [];
let mapGreatest = 1;

// A value of the style sheet, which depends on the scheme, light or dark.
function styled(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function pictureOf({ height, width, colours }) {
  const canvas = make("canvas", { width, height });
  const bytes = bytesOf(colours);
  const image = new ImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    image.data.set([bytes[3 * pixel], bytes[3 * pixel + 1], bytes[3 * pixel + 2], 255], 4 * pixel);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.ariaHidden = "true";
  return canvas;
}

// A token's element, a button where it can be asked for what it looks at.
function tokenOf(label, isAsked, picture = null) {
  const token = make(isAsked ? "button" : "span", { className: "token" });
  if (isAsked) Object.assign(token, { type: "button", tabIndex: -1 });
  if (picture) token.append(pictureOf(picture));
  token.append(label, make("small"));
  return token;
}

function layTokens(place, layout, isAsked) {
  place.replaceChildren();
  return layout.kind === "grid"
    ? layGrid(place, layout, isAsked)
    : layRow(place, layout, isAsked);
}

function layRow(place, { labels, row_length: rowLength, pictures }, isAsked) {
  const tokens = labels.map((label, i) => tokenOf(shown(label), isAsked, pictures?.[i]));
  const box = make("div", { className: "tokens" });
  tokens.forEach((token, i) => {
    if (rowLength !== null && i % rowLength === 0) {
      const number = String(i / rowLength + 1);
      box.append(make("span", { className: "row-number", textContent: number }));
    }
    box.append(token);
  });
  if (rowLength !== null) {
    box.classList.add("rows");
    box.style.gridTemplateColumns = `max-content repeat(${rowLength}, max-content)`;
  }
  place.append(make("div", { className: "scrolls" }, box));
  return tokens;
}

function layGrid(place, { height, width, labels, picture, has_class_token: hasClass }, isAsked) {
  const cells = Array.from({ length: height * width }, (_, i) =>
    tokenOf(labels?.[i] ? shown(labels[i]) : "", isAsked),
  );
  const box = make("div", { className: "tokens grid" }, ...cells);
  const room = Math.min(640, place.clientWidth - 10);
  const size = Math.max(12, Math.min(44, Math.floor(room / width) - 1));
  box.style.gridTemplateColumns = `repeat(${width}, max-content)`;
  box.style.setProperty("--cell", `${size}px`);
  box.style.setProperty("--letters", `${Math.min(15, Math.floor(0.6 * size))}px`);
  box.classList.toggle("small-cells", size < 28);
  if (picture) {
    box.classList.add("pictured");
    box.prepend(pictureOf(picture));
  }
  const scrolls = make("div", { className: "scrolls" }, box);
  if (!hasClass) {
    place.append(scrolls);
    return cells;
  }
  const classToken = tokenOf("class", isAsked);
  classToken.classList.add("class-token");
  place.append(classToken, scrolls);
  return [classToken, ...cells];
}

// Paints what a choice of layer and head gives; the answer is the greatest weight seen.
function paintMap(canvas, panel, choice, mostPixels) {
  const isRollout = choice.layer === ROLLOUT;
  const products = isRollout ? panel.numLayers * panel.numKeys ** 2 : 0;
  const rows = Math.min(panel.numQueries, mostPixels, Math.ceil(MOST_PRODUCTS / products));
  const columns = Math.min(panel.numKeys, mostPixels);
  const seen = new Float32Array(rows * columns);
  for (let y = 0; y < rows; y += 1) {
    const first = Math.floor((y * panel.numQueries) / rows);
    // Of the rows that share a pixel rollout shows the first one alone.
    const end = isRollout ? first + 1 : Math.floor(((y + 1) * panel.numQueries) / rows);
    for (let query = first; query < end; query += 1) {
      const row = panel.row(choice, query);
      for (let key = 0; key < panel.numKeys; key += 1) {
        const pixel = y * columns + Math.floor((key * columns) / panel.numKeys);
        if (row[key] > seen[pixel]) seen[pixel] = row[key];
      }
    }
  }
  const most = greatest(seen);
  Object.assign(canvas, { width: columns, height: rows });
  const shade = styled("--shade");
  const colour = [1, 3, 5].map((start) => parseInt(shade.slice(start, start + 2), 16));
  const image = new ImageData(columns, rows);
  seen.forEach((weight, pixel) => {
    image.data.set([...colour, most ? Math.round((255 * weight) / most) : 0], 4 * pixel);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return most;
}

// What is shown, from the outside in.

function showPanels() {
  const place = find("panels");
  if (panels.length === 1) return;
  if (panels.length <= MOST_BUTTONS) {
    const buttons = panels.map((panel) => {
      const button = make("button", { type: "button", textContent: panel.name });
      button.ariaPressed = String(panel === state.panel);
      button.addEventListener("click", () => {
        buttons.forEach((other) => { other.ariaPressed = String(other === button); });
        choosePanel(panel);
      });
      return button;
    });
    place.append(...buttons);
    return;
  }
  const name = make("output", { textContent: state.panel.name });
  const slider = make("input", { type: "range", min: 0, max: panels.length - 1, value: 0 });
  slider.ariaLabel = "panel";
  slider.addEventListener("input", () => {
    const panel = panels[Number(slider.value)];
    name.textContent = slider.ariaValueText = panel.name;
    choosePanel(panel);
  });
  place.append(slider, name);
}

function choosePanel(panel) {
  // The same place in another step of a game; another place where the tokens are others.
  if (!panel.hasShapeOf(state.panel) || (state.layer === ROLLOUT && !panel.hasRollout)) {
    Object.assign(state, panel.start);
  }
  state.panel = panel;
  state.held = null;
  queryTokens = layTokens(find("queries"), panel.queries, true);
  keyTokens = panel.isSelf ? queryTokens : layTokens(find("keys"), panel.keys, false);
  for (const id of ["queries-title", "keys-title", "keys"]) find(id).hidden = panel.isSelf;
  showMaps();
  chooseMap(state.layer, state.head);
}

function showMaps() {
  const { panel } = state;
  const heads = Array.from({ length: panel.numHeads }, (_, head) => head);
  if (panel.numHeads > 1) heads.push(MEAN);
  const titles = heads.map((head) =>
    make("th", { scope: "col", textContent: head === MEAN ? MEAN : `head ${head + 1}` }),
  );
  const rows = panel.layers.map((number, layer) =>
    rowOfMaps(`layer ${number}`, heads.map((head) => mapButton({ layer, head }))),
  );
  if (panel.hasRollout) {
    rows.push(rowOfMaps(ROLLOUT, [mapButton({ layer: ROLLOUT, head: MEAN })]));
  }
  find("maps").replaceChildren(make("tr", {}, make("td"), ...titles), ...rows);
  mapButtons = [...find("maps").querySelectorAll("button")];
}

function rowOfMaps(name, buttons) {
  const title = make("th", { scope: "row", textContent: name });
  return make("tr", {}, title, ...buttons.map((button) => make("td", {}, button)));
}

function mapButton(choice) {
  const { panel } = state;
  const canvas = make("canvas");
  paintMap(canvas, panel, choice, MAP_SIZE);
  const side = 46 / Math.max(panel.numQueries, panel.numKeys);
  canvas.style.width = `${Math.max(10, side * panel.numKeys)}px`;
  canvas.style.height = `${Math.max(10, side * panel.numQueries)}px`;
  const button = make("button", { type: "button", tabIndex: -1 }, canvas);
  button.choice = choice;
  button.ariaLabel = button.title = panel.describe(choice);
  return button;
}

function chooseMap(layer, head) {
  Object.assign(state, { layer, head });
  const { panel } = state;
  for (const button of mapButtons) {
    const isChosen = button.choice.layer === layer
      && (layer === ROLLOUT || button.choice.head === head);
    button.ariaPressed = String(isChosen);
    button.tabIndex = isChosen ? 0 : -1;
  }
  find("tokens-title").textContent = [panels.length > 1 ? panel.name : "", panel.describe(state)]
    .filter(Boolean).join(": ");
  const map = find("map");
  mapGreatest = paintMap(map, panel, state, LARGE_MAP_SIZE);
  const most = Math.max(panel.numQueries, panel.numKeys);
  const side = Math.max(1, Math.min(20, Math.floor(320 / most)));
  map.style.width = `${side * panel.numKeys}px`;
  map.style.height = `${side * panel.numQueries}px`;
  chooseQuery(state.query);
}

function chooseQuery(query) {
  state.query = query;
  const { panel } = state;
  const row = panel.row(state, query);
  const most = greatest(row);
  // The class token looks at itself so much that no cell would be seen.
  const shaded = panel.keys.has_class_token ? greatest(row.subarray(1)) : most;
  const darkest = { query: shaded, map: mapGreatest, one: 1 }[find("scale").value];
  const inkTurnsAt = Number(styled("--ink-turns-at"));
  const isGrid = panel.keys.kind === "grid";
  keyTokens.forEach((token, key) => {
    const weight = row[key];
    const share = darkest ? Math.min(1, weight / darkest) : 0;
    token.style.setProperty("--weight", share.toFixed(3));
    token.classList.toggle("dark", share > inkTurnsAt);
    // Of a grid's many numbers the least would only hide what lies below.
    token.lastElementChild.textContent = isGrid && weight < 0.0005 ? "" : short(weight);
    token.dataset.weight = weight;
    token.title = `${nameOf(panel.keys, key)}: ${rounded(weight)}`;
  });
  queryTokens.forEach((token, index) => {
    token.classList.toggle("chosen", index === query);
    token.tabIndex = index === query ? 0 : -1;
    if (!panel.isSelf) token.title = nameOf(panel.queries, index);
  });
  find("darkest").textContent = rounded(darkest);
  find("legend").classList.toggle("over-picture", Boolean(panel.keys.picture));
  const order = [...row.keys()].filter((key) => row[key] > 0).sort((a, b) => row[b] - row[a]);
  const asked = nameOf(panel.queries, query);
  find("said").textContent = most
    ? `${asked} gives most, ${rounded(most)}, to ${nameOf(panel.keys, order[0])}.`
    : `${asked} may look at nothing.`;
  find("greatest").replaceChildren(
    make("tr", {}, ...["key", "weight"].map((name) => make("th", { textContent: name }))),
    ...order.slice(0, NUM_GREATEST).map((key) => make("tr", {},
      make("td", { textContent: nameOf(panel.keys, key) }),
      make("td", { textContent: rounded(row[key]) }))),
  );
}

// What is done to it.

// The arrow keys among buttons that lie in lines; null for other keys and beyond the edge.
function neighbourOf(buttons, button, key) {
  const index = buttons.indexOf(button);
  if (key === "ArrowLeft") return buttons[index - 1] ?? null;
  if (key === "ArrowRight") return buttons[index + 1] ?? null;
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons.at(-1);
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const here = button.getBoundingClientRect();
  const far = (box) => (key === "ArrowUp" ? here.top - box.bottom : box.top - here.bottom);
  const lines = buttons
    .map((other) => [other, other.getBoundingClientRect()])
    .filter(([, box]) => far(box) > -here.height / 2);
  // The nearest line first, and in it the nearest place.
  const distance = ([, box]) => far(box) * 10_000 + Math.abs(box.left - here.left);
  lines.sort((one, other) => distance(one) - distance(other));
  return lines[0]?.[0] ?? null;
}

function goByKey(event, buttons) {
  const button = event.target.closest("button");
  const next = button && neighbourOf(buttons, button, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus({ focusVisible: true });
}

function tokenUnder(event) {
  return queryTokens.indexOf(event.target.closest?.(".token"));
}

find("queries").addEventListener("pointerover", (event) => {
  const query = tokenUnder(event);
  if (query >= 0 && state.held === null) chooseQuery(query);
});
find("queries").addEventListener("click", (event) => {
  const query = tokenUnder(event);
  if (query < 0) return;
  state.held = state.held === query ? null : query;
  chooseQuery(query);
});
find("queries").addEventListener("focusin", (event) => {
  if (!event.target.matches(":focus-visible")) return;
  state.held = null;
  chooseQuery(tokenUnder(event));
});
find("queries").addEventListener("keydown", (event) => goByKey(event, queryTokens));
find("maps").addEventListener("keydown", (event) => goByKey(event, mapButtons));
for (const kind of ["click", "focusin"]) {
  find("maps").addEventListener(kind, (event) => {
    const choice = event.target.closest("button")?.choice;
    if (choice) chooseMap(choice.layer, choice.head);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") state.held = null;
});
find("map").addEventListener("pointermove", (event) => {
  const { panel } = state;
  const box = find("map").getBoundingClientRect();
  const place = (share, number) => Math.max(0, Math.min(number - 1, Math.floor(share * number)));
  const query = place((event.clientY - box.top) / box.height, panel.numQueries);
  const key = place((event.clientX - box.left) / box.width, panel.numKeys);
  if (state.held === null) chooseQuery(query);
  const weight = rounded(panel.row(state, query)[key]);
  find("pointed").textContent =
    `${nameOf(panel.queries, query)} → ${nameOf(panel.keys, key)}: ${weight}`;
});
find("scale").addEventListener("change", () => chooseQuery(state.query));
find("numbers").addEventListener("change", () => {
  document.body.classList.toggle("numberless", !find("numbers").checked);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  showMaps();
  chooseMap(state.layer, state.head);
});

// Says where the page opens, and what is to be seen there.
function showOpened() {
  const { panel } = state;
  const row = panel.row(state, state.query);
  const most = greatest(row);
  const [query, key] = [
    nameOf(panel.queries, state.query), nameOf(panel.keys, row.indexOf(most)),
  ];
  const place = panel.numLayers * panel.numHeads > 1
    ? `at ${panel.describe(state)}, whose queries differ most in what they attend to, and there `
    : "";
  if (!most) return;
  find("opened").textContent =
    `The page opens ${place}at ${query}, which gives most, ${rounded(most)}, to ${key}.`;
}

showPanels();
choosePanel(panels[0]);
showOpened();
