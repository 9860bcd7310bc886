/** Strings of the panel that watches the policy. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "watch.title": { en: "Watch", de: "Zusehen" },
  "opinion.title": { en: "The policy's estimate", de: "Einschätzung des Netzes" },
  "opinion.arrows": {
    en: "Show its pushes by probability",
    de: "Seine Schübe nach Wahrscheinlichkeit zeigen",
  },
  "opinion.text": {
    en: "about {left} {left|push|pushes} left; deadlocked: {percent}\u00a0%",
    de: "noch etwa {left} {left|Schub|Schübe}; verloren: {percent}\u00a0%",
  },
  "opinion.lost": { en: "deadlocked: 100\u00a0%", de: "verloren: 100\u00a0%" },
  "opinion.loading": {
    en: "The network is loaded once; this takes a few seconds …",
    de: "Das Netz wird einmalig geladen; das dauert ein paar Sekunden …",
  },
  "attend.title": { en: "Attention", de: "Aufmerksamkeit" },
  "attend.show": {
    en: "Show it on the board",
    de: "Auf dem Brett zeigen",
  },
  "attend.pointer": {
    en: "Point at a square, or choose one here.",
    de: "Zeigen Sie auf ein Feld, oder wählen Sie hier eines.",
  },
  "attend.from": { en: "From", de: "Von" },
  "attend.player": { en: "the player", de: "der Figur" },
  "attend.box": {
    en: "the box at row {row}, column {column}",
    de: "der Kiste in Zeile {row}, Spalte {column}",
  },
  "attend.layers": { en: "Layer", de: "Schicht" },
  "attend.heads": { en: "Head", de: "Kopf" },
  "attend.mean": { en: "mean of all", de: "Mittel aller" },
  "attend.most": {
    en: "The greatest share, {percent}\u00a0%, goes to row {row}, column {column}.",
    de: "Der größte Anteil, {percent}\u00a0%, geht an Zeile {row}, Spalte {column}.",
  },
  "watch.search": { en: "Watch a beam search", de: "Einer Strahlsuche zusehen" },
  "watch.width": { en: "Boards at once", de: "Bretter zugleich" },
  "watch.start": { en: "Start", de: "Starten" },
  "watch.step": { en: "Step of the search", de: "Schritt der Suche" },
  "watch.take": { en: "Put the solution on the board", de: "Gefundene Lösung aufs Brett übernehmen" },
  "watch.at-step": {
    en: "Step {step} of {steps}; {count} {count|position|positions} evaluated",
    de: "Schritt {step} von {steps}; {count} {count|Stellung|Stellungen} bewertet",
  },
  "watch.followed": { en: "on the solution path", de: "auf dem Lösungsweg" },
  "watch.score": { en: "log p {score}", de: "log p {score}" },
  "watch.solved-row": { en: "solved", de: "gelöst" },
  "watch.spent": {
    en: "The search took {seconds} s.",
    de: "Die Suche dauerte {seconds} s.",
  },
};
