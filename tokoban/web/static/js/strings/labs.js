/** Strings of all labs; each has its own beside it. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "labs.title": { en: "Labs", de: "Labore" },
  "labs.attention": { en: "Attention", de: "Attention" },
  "labs.key-tab": {
    en: "To the next control, to the maps, to the tokens",
    de: "Zum nächsten Bedienelement, zu den Karten, zu den Token",
  },
  "labs.key-go": {
    en: "To the next token, map or cell", de: "Zum nächsten Token, zur nächsten Karte oder Zelle",
  },
  "labs.key-draw": { en: "Draw the cell", de: "Zelle zeichnen" },
  "labs.key-hold": { en: "Hold a token, let it go", de: "Token festhalten, loslassen" },
  "labs.key-free": { en: "Let the token go", de: "Token loslassen" },
};
