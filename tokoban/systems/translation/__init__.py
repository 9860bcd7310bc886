"""German <-> English with the transformer of 2017, whole: data, training, beam search, scores.

Read in this order: ``config``, ``number_words`` (a task of our own that needs no download),
``pairs`` (sentences from files), ``corpus`` (what a config names, as tokens), ``dataset`` (its
batches), ``model``, ``train``, ``stepper`` (what decoding knows of a translation under way),
``translate`` (tokens -> hypotheses), ``texts`` (the same for people), ``alignment`` (where the
translator looked) and ``evaluate`` (scores). Quicker ways for a CPU are in
``compiled_translator``, from the bottom up ``compiled``, ``compiled_products``,
``compiled_halves``.
"""
