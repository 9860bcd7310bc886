"""Text as numbers and back: the tokenizer that the systems for text share."""
