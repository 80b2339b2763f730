"""Pictures of what the papers print beside what was found."""
