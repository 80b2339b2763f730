"""What the R package pyfsaggr calls through reticulate: plain data in, plain data out.

R hands over arrays, lists and words; the answer is a dictionary of the same, so nothing that R
keeps refers to Python.  An error is part of the answer, not an exception: R makes a condition of its
own kind of it, and its users never see a Python traceback.
"""

from pyfsagg.for_r._interrupts import enter, leave, watch
from pyfsagg.for_r.tasks import about, answer, close

__all__ = ["about", "answer", "close", "enter", "leave", "watch"]
