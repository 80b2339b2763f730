"""``pyfsagg completion``: what a shell needs to complete commands and flags."""

from __future__ import annotations

import argparse
from typing import Any

from pyfsagg.exceptions import MissingDependencyError

EPILOG = """\
examples:
  pyfsagg completion bash > ~/.local/share/bash-completion/completions/pyfsagg
  pyfsagg completion zsh > ~/.zfunc/_pyfsagg
"""


def add_commands(commands: Any) -> None:
    """Add ``completion``."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes commands and flags in a shell",
        description="Print the completion of commands, flags and choices for a shell.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "shell", choices=("bash", "zsh", "tcsh"), metavar="SHELL", help="bash, zsh or tcsh"
    )
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> None:
    try:
        import shtab
    except ImportError:
        raise MissingDependencyError(
            "completion needs the package shtab; install it with: pip install 'pyfsagg[completion]'"
        ) from None
    print(shtab.complete(options.whole, shell=options.shell))
