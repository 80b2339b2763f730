"""All tables and statements of all papers at once."""
