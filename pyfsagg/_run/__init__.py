"""A run that survives: checkpoints, parallel work, files that are written completely or not at all."""
