"""Files for every folder above: locks, files that appear complete or not at all, and endings."""
