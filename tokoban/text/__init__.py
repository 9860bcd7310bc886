"""Tokenizers: text as token numbers and back."""
