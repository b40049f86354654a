"""Gray games, which the page cannot show: refused in words, however they come in."""

from azul_env import GameRecorder, new_game, to_dict


def test_gray_game__is_refused_with_the_commands_that_show_it(site):
    record = GameRecorder(2, rng=0, variant="gray").record.to_json()
    position = to_dict(new_game(2, rng=0, variant="gray"))
    for body in ({"record": record}, {"seats": ["human", "greedy"], "position": position}):
        answer = site.post("/api/games", body)
        assert 400 <= answer.status_code < 500
        assert "does not show the gray wall: use azul play" in answer.json()["error"]["message"]
