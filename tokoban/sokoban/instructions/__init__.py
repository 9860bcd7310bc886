"""Sentences about levels: what they mean, and exactly how they can be obeyed or answered.

Knows no network. ``docs/instructions.md`` states the semantics.
"""
