#!/usr/bin/env bash
# Install what the full test run needs beside Python: R with the packages it is compared with, and a
# headless Chromium for the report. On Debian or Ubuntu as root it installs; elsewhere it says what is
# missing, and the tests that need it skip (with PYFSAGG_REQUIRE_ALL=1 set, they fail instead).
set -euo pipefail

r_packages=(RobustRankAggreg rstatix afex mlbench reticulate testthat knitr rmarkdown ggplot2 recipes bit64 caret)
debian=(r-base-core r-base-dev pandoc chromium)
for package in "${r_packages[@]}"; do debian+=("r-cran-${package,,}"); done

missing() {
  command -v Rscript >/dev/null || echo "R"
  command -v pandoc >/dev/null || echo "pandoc"
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    command -v google-chrome >/dev/null || echo "chromium"
  if command -v Rscript >/dev/null; then
    Rscript --vanilla -e 'for (p in commandArgs(TRUE)) if (!requireNamespace(p, quietly = TRUE)) cat(p, "\n")' \
      "${r_packages[@]}" 2>/dev/null
    # Packages with compiled code, rpy2 among them, are built against R's headers.
    [ -e "$(R RHOME)/etc/Makeconf" ] && [ -e "$(Rscript --vanilla -e 'cat(R.home("include"))')/R.h" ] ||
      echo "R-headers"
  fi
}

absent=$(missing | tr '\n' ' ')
[ -z "${absent// /}" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing R and Chromium for the tests (missing: $absent) ..."
  export DEBIAN_FRONTEND=noninteractive
  # Without a network this fails; what is missing is said below, and the other tests still run.
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${debian[@]}" >/dev/null; } || true
  absent=$(missing | tr '\n' ' ')
fi
if [ -n "${absent// /}" ]; then
  echo "Not installed, so the tests that need it will be skipped: $absent" >&2
  echo "On Debian or Ubuntu: sudo apt-get install ${debian[*]}" >&2
  echo "Elsewhere: install R, pandoc and Chromium; then, in R:" >&2
  printf 'install.packages(c(%s))\n' "$(printf "'%s', " "${r_packages[@]}" | sed 's/, $//')" >&2
fi
