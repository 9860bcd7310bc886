"""The searches of numbered squares, each with its compiled loop; `combine` puts them together."""
