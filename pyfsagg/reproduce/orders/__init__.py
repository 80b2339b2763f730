"""The experiments of the paper on rank orders."""
