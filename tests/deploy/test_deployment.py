"""The files in deploy/: every step, name, path, address and setting works or exists."""

import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # its types are a package of their own

from api.http.shutdown import STOPPING_SECONDS
from api.settings import PREFIX, Settings, read_settings, unknown_settings
from tests.api.server import ROOT, running
from tests.deploy.certificates import self_signed
from tests.support.ports import free_port

DEPLOY = ROOT / "deploy"
COMPOSE: Any = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")

OPTIONS = {
    "Unit": {"Description", "Documentation", "Wants", "After"},
    "Service": {
        *("Type", "User", "Group", "WorkingDirectory", "EnvironmentFile", "ExecStart", "Restart", "RestartSec"),
        *("KillMode", "TimeoutStopSec", "LimitNOFILE", "StateDirectory", "StateDirectoryMode", "UMask"),
        *("NoNewPrivileges", "CapabilityBoundingSet", "LockPersonality", "PrivateDevices", "PrivateTmp"),
        *("ProtectClock", "ProtectControlGroups", "ProtectHome", "ProtectHostname", "ProtectKernelLogs"),
        *("ProtectKernelModules", "ProtectKernelTunables", "ProtectProc", "ProtectSystem"),
        *("RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID"),
        *("SystemCallArchitectures", "SystemCallFilter"),
    },
    "Install": {"WantedBy"},
}
"""Options of systemd 247, the oldest supported release."""


INSTRUCTIONS = dict(
    line.split(" ", 1) for line in DOCKERFILE.splitlines() if line.split(" ")[0] in ("USER", "EXPOSE", "VOLUME", "CMD")
)


def command_of(instruction: str) -> list[str]:
    """The command of an instruction as a list."""
    return re.findall(r'"([^"]*)"', instruction)


@pytest.mark.parametrize("tls", [False, True])
def test_the_health_check_of_the_image_uses_the_port_and_tls_but_no_proxy(tls: bool, tmp_path: Path) -> None:
    key, certificate = self_signed(tmp_path)
    given: dict[str, Any] = {"tls_certificate": str(certificate), "tls_key": str(key)} if tls else {}
    ask: list[str | Path] = [sys.executable, ROOT / "deploy/health.py"]
    with running(**given) as server:
        port = server.url.rpartition(":")[2]
        away = f"http://127.0.0.1:{free_port()}"
        environment = {f"{PREFIX}PORT": port, "http_proxy": away, "https_proxy": away}
        environment |= {f"{PREFIX}TLS_CERTIFICATE": str(certificate)} if tls else {}
        subprocess.run(ask, env=environment, check=True)
        server.stop()
        assert subprocess.run(ask, env=environment, stderr=subprocess.DEVNULL, check=False).returncode


def test_the_image_has_a_user_that_owns_its_volume() -> None:
    assert "RUN useradd --system " in DOCKERFILE
    assert f" {INSTRUCTIONS['USER']}\n" in DOCKERFILE
    assert f"-o {INSTRUCTIONS['USER']} -g {INSTRUCTIONS['USER']} {INSTRUCTIONS['VOLUME']}" in DOCKERFILE
    assert f"ENV FRANCHISE_DATABASE_URL=sqlite:///{INSTRUCTIONS['VOLUME']}/" in DOCKERFILE
    assert INSTRUCTIONS["EXPOSE"] == str(Settings().port)


def test_the_image_installs_like_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (options,) = re.findall(r"^INSTALL := \$\(PY\) -m pip install (.*)$", makefile, re.MULTILINE)
    assert f" -m pip install {options} -r requirements/run.lock\n" in DOCKERFILE


def test_the_build_context_has_the_copied_files() -> None:
    """And no others."""
    first, *rules = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()[1:]
    let_in = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    copied = {source for line in re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE) for source in line.split()[:-1]}
    assert (first, let_in) == ("*", copied)


def apis() -> dict[str, Any]:
    return {name: service for name, service in COMPOSE["services"].items() if "build" in service}


def address(service: str) -> str:
    found: str = COMPOSE["services"][service]["networks"]["inside"]["ipv4_address"]
    return found


def test_two_equal_processes_trust_their_proxy() -> None:
    first, second = apis().values()
    assert {**first, "networks": {}} == {**second, "networks": {}}
    given = {name: value.replace("${DATABASE_PASSWORD}", "x") for name, value in first["environment"].items()}
    assert read_settings(given).trusted_proxies == address("proxy")
    assert not unknown_settings(given)
    (network,) = COMPOSE["networks"]["inside"]["ipam"]["config"]
    addresses = [address(name) for name in (*apis(), "proxy")]
    assert len(set(addresses)) == 3
    assert all(ip_address(one) in ip_network(network["subnet"]) for one in addresses)
    assert int(first["stop_grace_period"].removesuffix("s")) > STOPPING_SECONDS


def test_files_and_services_named_by_compose_exist() -> None:
    for service in COMPOSE["services"].values():
        assert service.get("depends_on", {}).keys() <= COMPOSE["services"].keys()
        for waited in service.get("depends_on", {}):
            other = COMPOSE["services"][waited]
            assert "healthcheck" in other or ("build" in other and "HEALTHCHECK" in DOCKERFILE)
        if "build" in service:
            context = (DEPLOY / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).samefile(DEPLOY / "Dockerfile")
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            made_by_hand = (ROOT / ".gitignore").read_text("utf-8").splitlines()
            assert source in COMPOSE["volumes"] or (DEPLOY / source).exists() or f"deploy/{source[2:]}/" in made_by_hand


def test_the_proxy_uses_both_processes_and_the_limits_of_the_server() -> None:
    servers = re.findall(r"^    server (\S+):(\d+) ", NGINX, re.MULTILINE)
    assert servers == [(address(name), "8000") for name in apis()]
    (ours,) = (volume for volume in COMPOSE["services"]["proxy"]["volumes"] if "nginx.conf" in volume)
    assert ours.endswith("/etc/nginx/conf.d/default.conf:ro")
    tls = {Path(path).parent.as_posix() for path in re.findall(r"ssl_certificate\w* (\S+);", NGINX)}
    assert f"./tls:{tls.pop()}:ro" in COMPOSE["services"]["proxy"]["volumes"]
    assert not tls
    megabytes = re.search(r"client_max_body_size (\d+)m;", NGINX)
    assert megabytes is not None
    assert int(megabytes[1]) << 20 == Settings().record_limit
    idle = re.search(r"^    keepalive_timeout (\d+)s;", NGINX, re.MULTILINE)
    assert idle is not None
    assert int(idle[1]) < Settings().head_timeout, "the proxy closes idle connections first"
    waits = re.search(r"proxy_read_timeout (\d+)s;", NGINX)
    assert waits is not None
    assert int(waits[1]) > max(Settings().wait_limit, Settings().heartbeat)
    assert NGINX.count("{") == NGINX.count("}")


def unit() -> ConfigParser:
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation says
    parser.read(DEPLOY / "franchise.service")
    return parser


def test_the_unit_and_the_image_start_the_same_command(tmp_path: Path) -> None:
    """Options are compared with a list; if systemd is installed, it verifies the unit."""
    sections = unit()
    for name in sections.sections():
        assert sections[name].keys() <= OPTIONS[name]
    service = sections["Service"]
    program, *arguments = command_of(INSTRUCTIONS["CMD"])
    assert service["ExecStart"].split() == [f"{service['WorkingDirectory']}/{program}", *arguments]
    assert service["User"] == INSTRUCTIONS["USER"]
    assert int(service["TimeoutStopSec"]) > STOPPING_SECONDS
    assert int(service["LimitNOFILE"]) > 2 * Settings().connections
    if analyze := shutil.which("systemd-analyze"):
        file = tmp_path / "franchise.service"
        text = (DEPLOY / file.name).read_text(encoding="utf-8")
        file.write_text(
            text.replace(f"{service['WorkingDirectory']}/.venv/bin/python", sys.executable), encoding="utf-8"
        )
        done = subprocess.run([analyze, "verify", file], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_has_valid_settings_and_a_writable_data_folder() -> None:
    lines = (DEPLOY / "franchise.env").read_text(encoding="utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert not unknown_settings(given)
    known = read_settings(given)
    assert known.database_url == f"sqlite:////var/lib/{unit()['Service']['StateDirectory']}/games.db"
    named = {name for line in lines for name in re.findall(rf"{PREFIX}\w+", line)}
    assert not unknown_settings(dict.fromkeys(named, ""))


def test_every_file_has_an_explanation() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    for file in DEPLOY.iterdir():
        assert file.name in page, file.name
