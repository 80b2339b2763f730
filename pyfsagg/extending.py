"""For packages that build on pyfsagg: what a result, a page, a picture and a command are made of.

A method needs none of this: it is a spec of its room (``pyfsagg.filters.FilterSpec``, …), found by an
entry point.  This module is for a package with results, pages, pictures or commands of its own: with
the public names of pyfsagg and these it needs nothing that has an underscore.  Its commands are found
by entry points of the group ``pyfsagg.commands`` (the name of a command, and a function that adds its
parser), its results by ``pyfsagg.results`` (the kind of a result, and its class).

- results: `Result`, `Face`, `shown_by`
- pages: `Page`, `Section`, `Text`, `Table`, `Column`, `Records`, `Enumeration`, `Block`, `picture`,
  `closing`, `named_settings`, `software`, `write_page`
- pictures: `new_axes`, `clear_frame`, `feature_axis`, `legend_above`, `set_title`, `draw_paths` and
  the colours
- words: `duration`, `number`, `plural`, `probabilities`, `readable`, `setting`
- input: `check_choice`, `check_integer`, `check_table`, `check_target`, `data_hash`, `data_folder`
- runs: `run_tasks`, `open_checkpoint`, `versions`, `set_aside`, `warn`, `ALONE`
- commands: `add_output_flags`, `add_work_flags`, `names_of`, `keep_result`, `output_place`

The names stand in ``extending.pyi``, each with the file that it comes from, and are imported when
they are first used: a module that only declares the flags of a command stays light.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("pyfsagg", __file__)
