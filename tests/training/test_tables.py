"""Tables of metrics: aligned, and one header for rows of the same columns."""

from tokoban.training.tables import GrowingTable, two_columns


def test_numbers_are_aligned_and_texts_make_no_column_wider() -> None:
    drawn = """
metric    value
levels       12
share     0.125
protocol  the one with a long name
"""
    metrics = {"levels": 12, "share": 0.125, "protocol": "the one with a long name"}
    assert two_columns(metrics) == drawn.strip("\n")


def test_rows_of_the_same_metrics_have_one_header() -> None:
    table = GrowingTable()
    drawn = """
  step  val_loss
    10     1.234
    20      0.99
  step  solved
    30     0.5
"""
    rows: list[dict[str, float]] = [
        {"step": 10, "val_loss": 1.2341},
        {"step": 20, "val_loss": 0.99},
        {"step": 30, "solved": 0.5},
    ]
    assert "\n".join(map(table.add, rows)) == drawn.strip("\n")


def test_ends_of_intervals_make_no_columns_and_a_wide_row_is_a_line_for_each_metric() -> None:
    table, narrow = GrowingTable(), {"step": 7, "right": 0.5, "right_low": 0.1, "right_high": 0.9}
    assert table.add(narrow) == "  step   right\n     7     0.5"
    wide = narrow | {f"share_of_a_long_name_{number}": 0.25 for number in range(7)}
    without_ends = {name: x for name, x in wide.items() if name not in ("right_low", "right_high")}
    assert table.add(wide) == two_columns(without_ends)
