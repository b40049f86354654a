"""Plays well-behaved."""

from player import play

play()
