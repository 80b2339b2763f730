"""A run that survives: checkpoints, parallel work, files that appear complete or not at all."""
