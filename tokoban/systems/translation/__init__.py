"""Translation between German and English with the transformer of 2017, from data to scores.

Read in this order: ``config``, ``number_words`` (a task of our own that needs no download),
``pairs`` (sentences from files), ``corpus`` (the text of a config, as tokens), ``dataset`` (its
batches), ``model``, ``train``, ``stepper`` (the interface to decoding), ``translate`` (tokens ->
hypotheses), ``engine`` (fast execution of a translator), ``texts`` (text in, text out),
``alignment`` (of words, by attention) and ``evaluate`` (scores).
"""
