"""The kit of pages and pictures: blocks, templates, SVG; it knows no result."""
