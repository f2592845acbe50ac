"""Settings: defaults, refusals, and that each is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.main import create_app
from app.settings import Settings, SettingsError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_every_setting_is_documented():
    documented = set(re.findall(r"^\| `WEFT_([A-Z_]+)` \|", PAGE.read_text(), re.MULTILINE))
    assert documented == {name.upper() for name in Settings.model_fields}


def test_the_environment_is_read(monkeypatch, tmp_path: Path):
    for name, value in {
        "HOME": str(tmp_path),
        "PORT": "9000",
        "API_KEYS": " a, b ,",
        "SOURCE_ROOTS": f"{tmp_path}:/data",
        "DEMO": "0",
        "RETAIN_AGE": "12h",
        "DATABASE_URL": "",
    }.items():
        monkeypatch.setenv(f"WEFT_{name}", value)
    settings = Settings()
    assert settings.home == tmp_path
    assert settings.port == 9000
    assert [key.get_secret_value() for key in settings.api_keys] == ["a", "b"]
    assert settings.source_roots == (tmp_path, Path("/data"))
    assert settings.demo is False
    assert settings.retain_age_micros == 12 * 3_600_000_000
    assert settings.registry_url == f"sqlite:///{tmp_path}/weft.db"
    assert "a" not in repr(settings.api_keys)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_others_are_let_in_only_with_keys(tmp_path: Path, host: str):
    with pytest.raises(SettingsError, match="WEFT_API_KEYS"):
        create_app(Settings(home=tmp_path, host=host))
    Settings(home=tmp_path, host=host, api_keys="key").check()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
def test_loopback_needs_no_keys(tmp_path: Path, host: str):
    Settings(home=tmp_path, host=host).check()


@pytest.mark.parametrize("setting", [{"port": 70000}, {"retain_age": "soon"}, {"shards": 0}, {"max_body": 1}])
def test_nonsense_is_refused(setting):
    with pytest.raises(ValidationError):
        Settings(**setting)
