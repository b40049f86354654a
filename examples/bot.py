"""A bot for the protocol of docs/BOT_PROTOCOL.md, in plain Python: completes the longest line it can.

Try it from the root of the project:  azul match "external:python3 examples/bot.py" random
"""

import json
import sys


def value(position, action):
    """How much we like an action: long complete lines, then nearly complete ones; a tile on the floor costs as much."""
    source, color, line = action // 30, action // 6 % 5, action % 6
    tiles = (position["factories"] + [position["center"]])[source][color]
    if line == 5:  # the floor
        return -2 * tiles
    board = position["players"][position["current_player"]]
    places = line + 1 - board["pattern_lines"][line]["count"]
    if tiles >= places:
        return line + 1 - 2 * (tiles - places)
    return tiles / places - 1


def say(**message):
    """One line of JSON; without the flush it would stay in our buffer, and we would lose on time."""
    print(json.dumps(message), flush=True)


for text in sys.stdin:
    message = json.loads(text)
    if message["type"] == "hello":
        say(type="hello", protocol=1, name="longest line")
    elif message["type"] == "act":
        position = message["position"]
        best = max(message["legal_actions"], key=lambda action: value(position, action))
        say(type="action", action=best)
    elif message["type"] == "quit":
        break
