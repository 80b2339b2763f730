"""The page kit: blocks, formats and templates; it knows no result."""
