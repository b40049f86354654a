"""What the bots of these tests have in common: a bot that plays well-behaved, but for what a test changes."""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def first_legal(message):
    say(type="action", action=message["legal_actions"][0])


def play(on_act=first_legal, on_game_over=lambda message: None):
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="hello", protocol=1, name="test bot")
        elif message["type"] == "act":
            on_act(message)
        elif message["type"] == "game_over":
            on_game_over(message)
        elif message["type"] == "quit":
            return
