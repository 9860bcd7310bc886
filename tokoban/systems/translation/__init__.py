"""German <-> English with the transformer of 2017, whole: data, training, beam search, scores.

Read in this order: ``config``, ``number_words`` (a task of our own that needs no download),
``pairs`` (sentences from files), ``corpus`` (what a config names, as tokens), ``dataset`` (its
batches), ``model``, ``train``, ``stepper`` (what decoding knows of a translation under way),
``translate`` (tokens -> hypotheses), ``engine`` (which engine executes a translator fast),
``texts`` (text in, text out), ``alignment`` (where the translator looked) and ``evaluate``
(scores).
"""
