// What the attention viewer says, in the page and in the pages that stand alone.

/** @type {Record<string, {en: string, de: string}>} */
export const attentionStrings = {
  "attention.panel": { en: "panel", de: "Ansicht" },
  "attention.layers-and-heads": { en: "Layers and heads", de: "Schichten und Köpfe" },
  "attention.maps-hint": {
    en: "Rows of a map are queries, columns are keys.",
    de: "Jede Zeile einer Karte ist eine Anfrage (query), jede Spalte ein Schlüssel (key).",
  },
  "attention.tokens": { en: "Tokens", de: "Token" },
  "attention.tokens-hint": {
    en: "Point at a token, or go there by Tab and the arrow keys, to see where it looks. "
      + "A click pins it; Esc or a second click unpins it.",
    de: "Auf ein Token zeigen oder mit Tab und den Pfeiltasten hingehen, um zu sehen, wohin es "
      + "schaut. Ein Klick hält es fest, Esc oder ein zweiter Klick lässt es los.",
  },
  "attention.scale": { en: "full shade at", de: "volle Farbe bei" },
  "attention.scale-query": {
    en: "the query's greatest weight", de: "dem größten Gewicht der Anfrage",
  },
  "attention.scale-map": { en: "the map's greatest weight", de: "dem größten Gewicht der Karte" },
  "attention.scale-one": { en: "a weight of 1", de: "dem Gewicht 1" },
  "attention.numbers": { en: "numbers", de: "Zahlen" },
  "attention.queries": { en: "Queries", de: "Anfragen (queries)" },
  "attention.keys": { en: "Keys", de: "Schlüssel (keys)" },
  "attention.greatest": { en: "Greatest weights", de: "Größte Gewichte" },
  "attention.key": { en: "key", de: "Schlüssel" },
  "attention.weight": { en: "weight", de: "Gewicht" },
  "attention.map": { en: "The map, enlarged", de: "Die Karte, vergrößert" },
  "attention.point-at-map": {
    en: "Point at it to choose a query.", de: "Darauf zeigen, um eine Anfrage zu wählen.",
  },
  "attention.layer": { en: "layer {layer}", de: "Schicht {layer}" },
  "attention.head": { en: "head {head}", de: "Kopf {head}" },
  "attention.mean": { en: "mean", de: "Mittel" },
  "attention.rollout": { en: "rollout", de: "Rollout" },
  "attention.layer-head": { en: "layer {layer}, head {head}", de: "Schicht {layer}, Kopf {head}" },
  "attention.layer-mean": {
    en: "layer {layer}, mean of its heads", de: "Schicht {layer}, Mittel ihrer Köpfe",
  },
  "attention.class-token": { en: "class", de: "Klasse" },
  "attention.the-class-token": { en: "the class token", de: "das Klassentoken" },
  "attention.cell": { en: "row {row}, column {column}", de: "Zeile {row}, Spalte {column}" },
  "attention.token": { en: "“{label}” ({place})", de: "„{label}“ ({place})" },
  "attention.token-in-row": {
    en: "“{label}” (row {row}, {place})", de: "„{label}“ (Zeile {row}, {place})",
  },
  "attention.gives-most": {
    en: "{query} gives most, {weight}, to {key}.",
    de: "{query} gibt am meisten, {weight}, an {key}.",
  },
  "attention.looks-at-nothing": {
    en: "{query} may not attend to anything.", de: "{query} darf auf nichts schauen.",
  },
};
