"""A GPT: a decoder-only transformer that continues texts, and two tasks as smoke tests.

Read in this order: ``config``, ``model``, ``tokens`` (both kinds of tokenizer), ``corpus`` and
``python_docs`` (texts), ``tasks``, ``dataset``, ``train``, ``engine`` (fast execution), ``stepper``
(texts in progress), ``generate`` (as tokens), ``texts`` (as words), ``evaluate`` and ``attention``.
"""
