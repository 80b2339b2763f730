"""The commands of ``pyfsagg reproduce``."""
