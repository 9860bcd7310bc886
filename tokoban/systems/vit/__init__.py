"""A vision transformer: pictures as sequences of patches, without convolutions.

Read in this order: ``config``, ``model``, ``pictures`` (files and sizes), ``idx``,
``boards`` and ``sources`` (the sets), ``dataset`` (splits and batches), ``augmentation``,
``train``, ``evaluate`` and ``rollout`` (attention rollout).
"""
