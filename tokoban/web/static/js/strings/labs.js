/** Strings of all labs; each has its own beside it. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "labs.title": { en: "Labs", de: "Labore" },
  "labs.attention": { en: "Attention", de: "Attention" },
};
