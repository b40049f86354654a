"""What a person touches: the `azul` command."""
