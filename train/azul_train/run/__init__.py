"""What a training run writes, measures and reports."""
