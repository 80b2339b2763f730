"""The drawing kit: axes, colours and SVG; it knows no result."""
