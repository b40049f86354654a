"""Requests from elsewhere, and names that would run or read something."""

import http.client
import json
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from azul_agents import LEVELS
from azul_ui.web.catalog import Catalog
from azul_ui.web.guard import HEADERS, HostNames
from azul_ui.web.messages import RefusedError

HOSTS = ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::1", "192.168.1.5"]
ORIGINS = ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "file://", ""]
GAME = {"seats": ["human", "random"]}


@pytest.mark.parametrize("host", HOSTS)
def test_foreign_host__is_refused(site, host):
    for path in ("/", "/api/catalog", "/static/index.html"):
        answer = site.http.get(path, headers={"Host": host})
        assert answer.status_code in (400, 403)
    with pytest.raises(InvalidStatus), site.tab("x", additional_headers={"Host": host}):
        pass


def test_own_names__are_admitted(site):
    for host in (f"localhost:{site.port}", "127.0.0.1", f"[::1]:{site.port}", "LOCALHOST"):
        assert site.http.get("/api/catalog", headers={"Host": host}).status_code == 200


def test_host_twice__is_refused(site):
    connection = http.client.HTTPConnection("127.0.0.1", site.port)
    connection.putrequest("GET", "/api/catalog", skip_host=True)
    connection.putheader("Host", "evil.example")
    connection.putheader("Host", "localhost")
    connection.endheaders()
    assert connection.getresponse().status in (400, 403)


@pytest.mark.parametrize("origin", ORIGINS)
def test_foreign_origin__opens_no_socket_and_posts_nothing(site, origin):
    game_id = site.new_game("human", "random")
    with pytest.raises(InvalidStatus), site.tab(game_id, origin=origin):
        pass
    for path, body in (("/api/games", GAME), ("/api/position", {"num_players": 2})):
        assert site.post(path, body, headers={"Origin": origin}).status_code == 403


def test_own_origin__is_admitted(site):
    origin = f"http://127.0.0.1:{site.port}"
    assert site.post("/api/games", GAME, headers={"Origin": origin}).status_code == 201
    with site.tab(site.new_game("human", "random"), origin=origin) as tab:
        assert tab.next()["type"] == "welcome"


def test_cross_site_fetch__is_refused_but_a_link_to_the_page_is_not(site):
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert site.http.get("/api/games", headers=foreign).status_code == 403
    assert site.http.get("/", headers=foreign).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_post__needs_json(site, kind):
    content = json.dumps(GAME)
    answer = site.http.post("/api/games", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"seats": 1}', b'{"seats": [1, 2]}', b'{"x": 1}', b"[" * 9999]
)
def test_wrong_body__is_an_error_in_one_line(site, body):
    for path in ("/api/games", "/api/position"):
        headers = {"Content-Type": "application/json"}
        answer = site.http.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500 and "\n" not in answer.json()["error"]["message"]


def test_large_body__is_refused(site):
    answer = site.post("/api/games", {"record": "x" * (1 << 20)})
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/catalog",
        "/api/art.svg",
        "/api/games",
        "/nowhere",
        "/static/none",
        "/static/index.html",
    ],
)
def test_every_answer__has_the_strict_headers(site, path):
    answer = site.http.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert "server" not in answer.headers


def test_refusals__have_the_strict_headers_too(site):
    for answer in (
        site.http.get("/", headers={"Host": "evil.example"}),
        site.post("/api/games", {}),
        site.http.put("/api/games"),
    ):
        assert answer.status_code >= 400
        assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/....//app.py",
        "/static/..\\app.py",
        "/static/",
        "/static",
        "/static/\x00",
        "/../../etc/passwd",
        "/api/games/..%2f..%2fetc%2fpasswd/record.jsonl",
        "/api/games/../../etc/passwd/record.jsonl",
        "/api/games/20200101-000000-aaaaaa%00/record.jsonl",
    ],
)
def test_paths__lead_nowhere_but_to_the_page(site, path):
    connection = http.client.HTTPConnection("127.0.0.1", site.port)
    connection.putrequest("GET", path.replace("\x00", "%00"))
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    assert answer.status in (307, 400, 404) and b"root:" not in content and b"import" not in content


SPECS = [
    "python:os:system",
    "python:web.own_agents:Failing",
    "neural:path=/etc/passwd",
    "sb3:path=/etc/passwd",
    "external:touch /tmp/x",
    "alphabeta:weights=/etc/passwd",
    "mcts:leaf=game",
    "alphabeta:time=61",
    "alphabeta:time=1e3",
    "alphabeta:nodes=99999999999999",
    "mcts:simulations=999999999",
    "ppo:path=/x",
    "own-1",
    "own-1; ls",
    "human ",
    "../x",
    "alphabeta:time=nan",
    "alphabeta:time=-1",
    "greedy\n",
    "x" * 10_000,
    "",
]


@pytest.mark.parametrize("spec", SPECS)
def test_spec__that_names_more_than_numbers_is_refused(site, spec):
    answer = site.post("/api/games", {"seats": ["human", spec]})
    assert answer.status_code == 403 and len(answer.text) < 1000
    record = {"record": "{}", "seats": ["human", spec]}
    assert site.post("/api/games", record).status_code == 403
    with site.playing("human", "random") as (tab, _):
        for kind in ({"type": "analyse", "number": 0}, {"type": "review"}):
            tab.connection.send(json.dumps(kind | {"engine": spec}))
            assert tab.until("error")["code"] in ("not_found", "too_large")


HARMLESS = ("own-1", "own-1; ls", "human ", "../x", "greedy\n", "")  # names of nobody
RECORD = json.loads((Path(__file__).parents[2] / "docs" / "game.jsonl").read_text().splitlines()[0])


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec not in HARMLESS])
@pytest.mark.parametrize("is_over", [True, False])
def test_record__of_such_an_agent_is_only_looked_at(site, spec, is_over):
    events = RECORD["events"] if is_over else RECORD["events"][:4]
    record = RECORD | {"agents": [spec, "greedy"], "events": events}
    answer = site.post("/api/games", {"record": json.dumps(record)})
    if answer.status_code == 403:
        return  # no name that a record can have
    game_id = answer.json()["id"]
    assert site.post("/api/games", {"rematch": game_id}).status_code == 403
    with site.tab(game_id) as tab:
        game = tab.until("game")
        assert not game["can_change"] and not game["can_rematch"]
        assert (game["warning"] is None) == is_over
        for kind in ("step", "undo"):
            tab.say(kind)
            assert tab.until("error")["code"] == "not_allowed"


def test_rematch__runs_no_command_of_a_record(site, tmp_path):
    ran = tmp_path / "ran"
    record = RECORD | {"agents": [f"external:touch {ran}", "human"]}
    game_id = site.post("/api/games", {"record": json.dumps(record)}).json()["id"]
    assert site.post("/api/games", {"rematch": game_id}).status_code == 403
    assert not ran.exists()


@pytest.mark.parametrize(
    "spec", ["greedy", "alphabeta:nodes=500", "mcts:time=0.1", "ppo:temperature=2"]
)
def test_spec_in_numbers__is_seated(spec):
    assert Catalog().spec_of(spec) == spec


def test_depth_alone__gets_a_limit_of_time():
    assert Catalog().spec_of("alphabeta:depth=20") == "alphabeta:depth=20,time=60"


def test_levels__are_seated():
    assert [Catalog().spec_of(level.name) for level in LEVELS] == [level.name for level in LEVELS]


def test_own_agents__have_names_and_others_do_not():
    catalog = Catalog(["external:sleep 1", "external:sleep 1", "python:os:system"])
    assert catalog.spec_of("own-2") == "python:os:system" and len(catalog.own) == 2
    assert catalog.name_of("external:sleep 1") == "own-1"
    with pytest.raises(RefusedError):
        catalog.spec_of("own-3")
    with pytest.raises(RefusedError):
        catalog.spec_of("python:os:system")  # by its name only


def test_beyond_loopback__addresses_are_admitted_and_names_of_others_are_not():
    names = HostNames("0.0.0.0")
    assert names.admit("192.168.1.5:8137") and names.admit("[fe80::1]:80")
    assert not names.admit("evil.example") and not names.admit(None)
