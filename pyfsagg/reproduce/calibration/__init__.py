"""What every p-value, interval and error bound of this package keeps, measured by simulation.

A design simulates data whose truth is known and says of each repetition whether a claim was kept.
Designs are in ``designs/``, a file for each topic; `calibrate` runs them.
"""
