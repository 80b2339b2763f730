"""What every room stands on: registries, selections, blocks of work."""
