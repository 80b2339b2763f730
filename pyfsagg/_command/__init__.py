"""The command kit: flags and the runner that every command of the terminal uses."""
