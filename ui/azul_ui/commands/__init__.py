"""One file per subcommand; each parses its arguments and calls one function."""
