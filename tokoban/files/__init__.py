"""Files that several processes share, for every folder above: locks."""
