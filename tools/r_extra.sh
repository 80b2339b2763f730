#!/usr/bin/env bash
# Print the extra that brings the R bridge with the rpy2 that fits the R found; nothing where there is
# no R, or none that rpy2 can be built against. rpy2 3.6 needs functions that R has since 4.5 (with an
# older R it fails at import: undefined symbol R_getVar); 3.5.17 is the last that works with R 4.2 to 4.4.
command -v R >/dev/null || exit 0
if [ ! -e "$(R --no-echo --vanilla -e 'cat(R.home("include"))' 2>/dev/null)/R.h" ]; then
  echo "R is installed without its headers (on Debian and Ubuntu: r-base-dev); the R bridge is left out" >&2
  exit 0
fi
version=$(R --version | sed -n '1s/^R version \([0-9]*\.[0-9]*\).*/\1/p')
oldest=$(printf '%s\n4.5\n' "$version" | sort -V | head -n 1)
[ "$oldest" = 4.5 ] && echo ",r45" || echo ",r"
