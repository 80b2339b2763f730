"""Agreement of resamples, over all their pairs."""
