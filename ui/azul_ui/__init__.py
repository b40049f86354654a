"""The user interface: the `azul` command."""
