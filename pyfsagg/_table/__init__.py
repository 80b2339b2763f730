"""A table and its reading: columns, targets, sparse tables, what identifies the data."""
