"""The command line as users type it."""

from terminal import command, process, pyfsagg, refused

__all__ = ["command", "process", "pyfsagg", "refused"]
