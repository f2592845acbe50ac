"""Every setting of the service, read from environment variables that begin with ``WEFT_``.

docs/reference/settings.md describes them; a test fails when one is missing there.
"""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from optimizer.errors import InvalidInput
from optimizer.model.durations import parse_duration

__all__ = ["Settings", "SettingsError"]


class SettingsError(Exception):
    """The settings do not go together; the message says what to set."""


class Settings(BaseSettings):
    """The settings, with their defaults."""

    model_config = SettingsConfigDict(env_prefix="WEFT_", extra="ignore", frozen=True)

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    home: Path = Field(
        default=Path("~/.local/share/weft"),
        description="Folder of everything that is kept: database, checkpoints, results.",
    )
    database_url: str | None = Field(
        default=None,
        description="SQLAlchemy URL of the registry: SQLite or PostgreSQL. Default: weft.db in WEFT_HOME.",
    )
    spark_master: str = Field(default="local[*]", description="Spark master that the jobs run on.")
    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated keys; every call under /v1 must carry one. None: loopback only.",
    )
    demo: bool = Field(default=True, description="Register and start a demonstration on the first start.")
    calibrate: bool = Field(
        default=True, description="Measure this machine in the background on the first start."
    )
    source_roots: Annotated[tuple[Path, ...] | None, NoDecode] = Field(
        default=None,
        description="Folders, separated as in PATH, under which streams may read files. Default: any folder "
        "but WEFT_HOME and the system's own on loopback without keys, WEFT_HOME/data otherwise.",
    )
    max_body: int = Field(default=8 * 2**20, ge=1024, description="Largest request body, in bytes.")
    retain_age: str = Field(default="7d", description="Results older than this are removed.")
    retain_bytes: int = Field(
        default=10 * 2**30,
        ge=2**20,
        description="The oldest results of a stream beyond this size are removed.",
    )
    shards: int = Field(default=2, ge=1, le=4096, description="Shards of the final aggregation of a new job.")

    @field_validator("home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("database_url", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any) -> Any:
        return value or None

    @field_validator("api_keys", mode="before")
    @classmethod
    def _split_keys(cls, value: Any) -> Any:
        return tuple(k.strip() for k in value.split(",") if k.strip()) if isinstance(value, str) else value

    @field_validator("source_roots", mode="before")
    @classmethod
    def _split_roots(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(Path(p).expanduser().absolute() for p in value.split(os.pathsep) if p) or None

    @field_validator("retain_age")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        try:
            parse_duration(value, field="WEFT_RETAIN_AGE")
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        return value

    @property
    def retain_age_micros(self) -> int:
        """The age beyond which results are removed, in microseconds."""
        return parse_duration(self.retain_age)

    @property
    def registry_url(self) -> str:
        """The URL of the registry in force."""
        return self.database_url or f"sqlite:///{self.home / 'weft.db'}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def check(self) -> None:
        """Refuse to open the service to others without keys."""
        if not self.loopback and not self.api_keys:
            raise SettingsError(
                f"WEFT_HOST={self.host} can be reached by other machines: set WEFT_API_KEYS to one or more "
                "secret keys, or leave WEFT_HOST at 127.0.0.1"
            )
