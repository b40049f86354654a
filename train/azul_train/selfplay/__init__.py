"""What a learner plays against and learns from, whatever library learns."""
