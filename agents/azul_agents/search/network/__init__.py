"""Networks at the leaves of a search: features, compiled evaluation and files."""
