"""A plain vision transformer: pictures as rows of patches, and no convolution anywhere.

Read in this order: ``config``, ``patches``, ``model``, ``pictures`` (files and sizes), ``idx``,
``boards`` and ``sources`` (the sets), ``dataset`` (who learns from what), ``augmentation``,
``train``, ``evaluate`` and ``rollout`` (where the model looked).
"""
