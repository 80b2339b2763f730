"""The commands that this package brings to ``pyfsagg``; what they need is imported when they run."""
