"""A GPT: a decoder-only transformer that goes on from texts, and two tasks as smoke tests.

Read in this order: ``config``, ``model``, ``tokens`` (both kinds of tokenizer), ``corpus`` and
``python_docs`` (texts), ``tasks``, ``dataset``, ``train``, ``stepper`` (texts under way),
``generate`` (as tokens), ``texts`` (as words), ``evaluate`` and ``attention`` (where it looks).
"""
