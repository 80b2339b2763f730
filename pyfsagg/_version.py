"""The version of the package, in one place: the build and the documentation read it here."""

__version__ = "0.2.0"
