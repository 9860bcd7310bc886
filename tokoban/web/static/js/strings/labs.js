/** Strings of the labs. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "labs.title": { en: "Labs", de: "Labore" },
  "labs.translation": { en: "Translation", de: "Übersetzung" },
  "labs.gpt": { en: "Text", de: "Text" },
  "labs.life": { en: "Life", de: "Life" },
  "labs.pictures": { en: "Pictures", de: "Bilder" },
  "labs.memory": { en: "Memory", de: "Gedächtnis" },
  "labs.attention": { en: "Attention", de: "Attention" },
  "labs.working": { en: "Computing …", de: "Rechnet …" },
  "labs.loading": {
    en: "Loading the network, once; this takes some seconds …",
    de: "Das Netz wird einmalig geladen; das dauert einige Sekunden …",
  },
  "labs.stop": { en: "Stop", de: "Anhalten" },
  "labs.examples": { en: "Examples:", de: "Beispiele:" },

  "labs.translation-about": {
    en: "A transformer with encoder and decoder, trained on everyday sentences and captions. The "
      + "first attention panel opens at the head that acts most like a dictionary: each token that "
      + "is written attends to the source token that it translates.",
    de: "Ein Transformer mit Encoder und Decoder, mit Alltagssätzen und Bildunterschriften trainiert. Die erste "
      + "Attention-Ansicht beginnt mit dem Kopf, der am ehesten wie ein Wörterbuch arbeitet: Jedes "
      + "geschriebene Token schaut auf das Token der Quelle, das es übersetzt.",
  },
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
  "labs.direction": { en: "Direction", de: "Richtung" },
  "labs.de-en": { en: "German to English", de: "Deutsch nach Englisch" },
  "labs.en-de": { en: "English to German", de: "Englisch nach Deutsch" },
  "labs.sentence": { en: "Sentence", de: "Satz" },
  "labs.prefix": {
    en: "Begin the translation with (optional)", de: "Beginn der Übersetzung vorgeben (optional)",
  },
  "labs.translations": {
    en: "Translations, the best first", de: "Übersetzungen, die beste zuerst",
  },
  "labs.score": { en: "score {score}", de: "Wertung {score}" },
  "labs.usable": {
    en: "Confidence: {share} %.", de: "Konfidenz: {share} %.",
  },
  "labs.doubtful": {
    en: "Confidence: {share} %. This translation is probably not usable.",
    de: "Konfidenz: {share} %. Diese Übersetzung ist wahrscheinlich nicht brauchbar.",
  },
  "labs.token-start": { en: "(start)", de: "(Anfang)" },
  "labs.token-end": { en: "(end)", de: "(Ende)" },
  "labs.panel-cross": { en: "translation to source", de: "Übersetzung auf Quelle" },
  "labs.panel-source": { en: "source to itself", de: "Quelle auf sich selbst" },
  "labs.panel-target": { en: "translation to itself", de: "Übersetzung auf sich selbst" },

  "labs.gpt-about": {
    en: "A small GPT, trained on single everyday sentences in English and German; it answers no "
      + "questions, and each line is a sentence of its own. Choose a next token to append it. Look "
      + "for heads that attend to the token before, or to an earlier place of the same token.",
    de: "Ein kleines GPT, mit einzelnen Alltagssätzen auf Deutsch und Englisch trainiert; es beantwortet "
      + "keine Fragen, und jede Zeile ist ein Satz für sich. Ein nächstes Token wird durch Auswählen "
      + "angehängt. Es gibt Köpfe, die auf das Token davor schauen oder auf eine frühere Stelle "
      + "desselben Tokens.",
  },
  "labs.gpt-example": {
    en: "When I was a child, I often went to the",
    de: "Als ich ein Kind war, bin ich oft mit meinem",
  },
  "labs.text": { en: "Text", de: "Text" },
  "labs.continue": { en: "Continue by 40 tokens", de: "Um 40 Token fortsetzen" },
  "labs.temperature": { en: "Temperature", de: "Temperatur" },
  "labs.next": { en: "Most probable next tokens", de: "Wahrscheinlichste nächste Token" },
  "labs.seen-all": {
    en: "{all} {all|token|tokens}; attention is shown below.",
    de: "{all} Token; die Attention steht unten.",
  },
  "labs.seen-part": {
    en: "Attention is shown for the last {seen} of {all} tokens.",
    de: "Die Attention wird für die letzten {seen} von {all} Token gezeigt.",
  },

  "labs.life-about": {
    en: "One attention layer plays Conway's Life on a torus of 16 by 16. Each cell finds its eight "
      + "neighbours by attention alone; that all its answers are right is proved. Draw cells, run, "
      + "and point at a cell below to see where it looks.",
    de: "Eine Attention-Schicht spielt Conways Life auf einem Torus von 16 mal 16. Jede Zelle findet "
      + "ihre acht Nachbarn allein durch Attention; dass alle Antworten stimmen, ist bewiesen. "
      + "Zellen zeichnen, laufen lassen und unten auf eine Zelle zeigen, um zu sehen, wohin sie "
      + "schaut.",
  },
  "labs.life-grid": { en: "Cells", de: "Zellen" },
  "labs.cell-alive": {
    en: "row {row}, column {column}: alive", de: "Zeile {row}, Spalte {column}: lebendig",
  },
  "labs.cell-dead": { en: "row {row}, column {column}: dead", de: "Zeile {row}, Spalte {column}: tot" },
  "labs.run": { en: "Run", de: "Laufen lassen" },
  "labs.pause": { en: "Pause", de: "Pause" },
  "labs.one-step": { en: "One step", de: "Ein Schritt" },
  "labs.step": { en: "step {step}", de: "Schritt {step}" },
  "labs.life-count": {
    en: "Step {step}; wrong cells so far: {wrong}", de: "Schritt {step}; falsche Zellen bisher: {wrong}",
  },
  "labs.pattern-glider": { en: "Glider", de: "Gleiter" },
  "labs.pattern-r-pentomino": { en: "R-pentomino", de: "R-Pentomino" },
  "labs.pattern-pulsar": { en: "Pulsar", de: "Pulsar" },
  "labs.pattern-random": { en: "Random", de: "Zufall" },
  "labs.pattern-empty": { en: "Clear", de: "Leeren" },
  "labs.noise": { en: "Noise in the weights", de: "Rauschen in den Gewichten" },
  "labs.noise-share": { en: "{percent} %", de: "{percent} %" },
  "labs.noise-about": {
    en: "With noise the proof no longer holds. A cell with a cross is not what the rules make of "
      + "the grid before; what follows from it is not counted again.",
    de: "Mit Rauschen gilt der Beweis nicht mehr. Eine Zelle mit Kreuz ist nicht, was die Regeln aus "
      + "dem Gitter davor machen; was aus ihr folgt, zählt nicht noch einmal.",
  },

  "labs.pictures-about": {
    en: "A vision transformer sees the board as a picture, a patch for each square, and says whether "
      + "it is solved, open or lost. It is right for 96 % of its test boards; the exact solver "
      + "checks it. Rollout shows which patches the answer was made of.",
    de: "Ein Vision Transformer sieht das Brett als Bild, ein Bildstück je Feld, und sagt, ob es gelöst, "
      + "offen oder verloren ist. Bei 96 % seiner Testbretter hat er recht; der exakte Löser prüft ihn. "
      + "Rollout zeigt, aus welchen Bildstücken die Antwort entstand.",
  },
  "labs.picture-board": { en: "Board", de: "Brett" },
  "labs.brush": { en: "Draw", de: "Zeichnen" },
  "labs.tile-wall": { en: "wall", de: "Wand" },
  "labs.tile-floor": { en: "floor", de: "Boden" },
  "labs.tile-goal": { en: "goal", de: "Ziel" },
  "labs.tile-box": { en: "box", de: "Kiste" },
  "labs.tile-box-on-goal": { en: "box on a goal", de: "Kiste auf einem Ziel" },
  "labs.tile-player": { en: "player", de: "Figur" },
  "labs.tile-player-on-goal": { en: "player on a goal", de: "Figur auf einem Ziel" },
  "labs.tile-at": {
    en: "row {row}, column {column}: {tile}", de: "Zeile {row}, Spalte {column}: {tile}",
  },
  "labs.classes": { en: "What the network says", de: "Was das Netz sagt" },
  "labs.class-solved": { en: "solved", de: "gelöst" },
  "labs.class-open": { en: "open", de: "offen" },
  "labs.class-lost": { en: "lost", de: "verloren" },
  "labs.proving": { en: "The solver is at work …", de: "Der Löser rechnet …" },
  "labs.proved-solved": { en: "The board is solved.", de: "Das Brett ist gelöst." },
  "labs.proved-open": {
    en: "Proved open: the solver found a solution.",
    de: "Bewiesen offen: Der Löser hat eine Lösung gefunden.",
  },
  "labs.proved-lost": {
    en: "Proved lost: no solution exists.", de: "Bewiesen verloren: Es gibt keine Lösung.",
  },
  "labs.proved-unknown": {
    en: "The solver found no answer within two seconds.",
    de: "Der Löser hat in zwei Sekunden keine Antwort gefunden.",
  },

  "labs.memory-about": {
    en: "Cards are dealt one by one, and the player must name the suit of three cards before. It "
      + "learned to by reinforcement alone; a transformer is its memory.",
    de: "Karten werden einzeln ausgeteilt, und der Spieler muss die Farbe der Karte drei Schritte davor "
      + "nennen. Das lernte er allein durch Belohnung; sein Gedächtnis ist ein Transformer.",
  },
  "labs.new-episode": { en: "New episode", de: "Neue Episode" },
  "labs.episode": { en: "Episode", de: "Episode" },
  "labs.memory-right": {
    en: "{right} of {all} answers are right.", de: "{right} von {all} Antworten sind richtig.",
  },
  "labs.memory-look": {
    en: "Head {head} of layer {layer} gives a weight of {weight} to the card {back} {back|step|steps} "
      + "back, on average.",
    de: "Kopf {head} von Schicht {layer} gibt der Karte vor {back} {back|Schritt|Schritten} im Mittel "
      + "das Gewicht {weight}.",
  },
  "labs.memory-legend": {
    en: "Above the card dealt, below the answer. Choose a step to see below where the player looked.",
    de: "Oben die ausgeteilte Karte, unten die Antwort. Einen Schritt wählen, um unten zu sehen, wohin "
      + "der Spieler schaute.",
  },
  "labs.suit-0": { en: "clubs", de: "Kreuz" },
  "labs.suit-1": { en: "diamonds", de: "Karo" },
  "labs.suit-2": { en: "hearts", de: "Herz" },
  "labs.suit-3": { en: "spades", de: "Pik" },
  "labs.card-free": {
    en: "step {step}: {seen} dealt, {answer} said, nothing asked yet",
    de: "Schritt {step}: {seen} ausgeteilt, {answer} gesagt, noch nichts gefragt",
  },
  "labs.card-right": {
    en: "step {step}: {seen} dealt, {answer} said, right",
    de: "Schritt {step}: {seen} ausgeteilt, {answer} gesagt, richtig",
  },
  "labs.card-wrong": {
    en: "step {step}: {seen} dealt, {answer} said, wrong",
    de: "Schritt {step}: {seen} ausgeteilt, {answer} gesagt, falsch",
  },
};
