"""Files for every folder above: locks between processes, and files that appear complete or not."""
