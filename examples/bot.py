"""A bot for the protocol in docs/BOT_PROTOCOL.md, in plain Python: it completes the longest line it can.

Try it in the root of the project:  azul match "external:python3 examples/bot.py" random
"""

import json
import sys


def value(position, action):
    """The value of an action: the length of a completed line, minus 2 per tile on the floor; below 0 for an unfinished line."""
    source, color, line = action // 30, action // 6 % 5, action % 6
    tiles = (position["factories"] + [position["center"]])[source][color]
    if line == 5:  # the floor
        return -2 * tiles
    board = position["players"][position["current_player"]]
    free = line + 1 - board["pattern_lines"][line]["count"]
    if tiles >= free:
        return line + 1 - 2 * (tiles - free)
    return tiles / free - 1


def send(**message):
    """Send a message as one line of JSON, flushed: a message left in the buffer would lose on time."""
    print(json.dumps(message), flush=True)


for text in sys.stdin:
    message = json.loads(text)
    if message["type"] == "hello":
        send(type="hello", protocol=1, name="longest line")
    elif message["type"] == "act":
        position = message["position"]
        best = max(message["legal_actions"], key=lambda action: value(position, action))
        send(type="action", action=best)
    elif message["type"] == "quit":
        break
