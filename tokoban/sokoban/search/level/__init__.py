"""Facts of one level: numbered squares, floods, regions of floor, the moves of one box."""
