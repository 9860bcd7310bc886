/** Strings of all labs; each has its own beside it. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "labs.title": { en: "Labs", de: "Labore" },
  "labs.attention": { en: "Attention", de: "Aufmerksamkeit" },
  "labs.keys": {
    en: "In a drawing, arrow keys go to another cell and Space draws it.",
    de: "In einer Zeichnung führen Pfeiltasten zu einer anderen Zelle, und die Leertaste zeichnet sie.",
  },
};
