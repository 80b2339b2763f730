"""Pages on what the papers print beside what was found."""
