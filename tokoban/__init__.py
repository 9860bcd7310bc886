"""tokoban: transformers that plan. See README.md for the map; nothing heavy is imported here."""

__version__ = "0.1.0"
