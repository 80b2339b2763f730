"""Published tables, cell by cell, beside our own repetitions of the experiments behind them."""
