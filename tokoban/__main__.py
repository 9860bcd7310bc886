"""``python -m tokoban``: the command, where it is not installed."""

import sys

from tokoban.cli import main

sys.exit(main())
