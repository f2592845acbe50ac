"""Which folders a stream may read."""

from __future__ import annotations

from pathlib import Path

from app.settings import Settings
from optimizer.errors import InvalidInput

__all__ = ["checked_path"]

_SYSTEM = tuple(Path(p) for p in ("/etc", "/proc", "/sys", "/dev", "/boot", "/root/.ssh", "/var/run", "/run"))
_GLOB = set("*?[]{}\\")


def checked_path(text: str, *, bounded: bool, recursive: bool, settings: Settings) -> str:
    """The path with its symbolic links resolved, so that a link that is changed later leads nowhere else.

    Links inside the folder are not looked at: whoever may write there decides what is read.
    """
    field = "source.path"
    if not text.startswith("/"):
        raise InvalidInput.at(field, "must be an absolute path of this machine's file system")
    if _GLOB & set(text):
        raise InvalidInput.at(field, f"must not contain any of {' '.join(sorted(_GLOB))}")
    try:
        path = Path(text).resolve()
        exists = path.exists()
    except (OSError, RuntimeError, ValueError):
        raise InvalidInput.at(field, "cannot be resolved") from None
    if not _allowed(path, settings):
        raise InvalidInput.at(field, _refusal(settings))
    if recursive and settings.home.resolve().is_relative_to(path):
        raise InvalidInput.at(
            field, "contains WEFT_HOME, which recursiveFileLookup would read with everything else"
        )
    if bounded and not exists:
        raise InvalidInput.at(field, "does not exist; a bounded source needs its files from the start")
    return str(path)


def _roots(settings: Settings) -> tuple[Path, ...] | None:
    """The folders that may be read, None for any that is not private to Weft or to the system."""
    if settings.source_roots is not None:
        return settings.source_roots
    if settings.loopback and not settings.api_keys:
        return None
    return (settings.home / "data",)


def _allowed(path: Path, settings: Settings) -> bool:
    roots = _roots(settings)
    home = settings.home.resolve()
    private = path.is_relative_to(home) and not path.is_relative_to(home / "data")
    if roots is not None:
        resolved = [root.resolve() for root in roots]
        # Only a root inside WEFT_HOME was meant to open a part of it.
        meant = [root for root in resolved if not private or root.is_relative_to(home)]
        return any(path.is_relative_to(root) for root in meant)
    if private:
        return False
    return path != Path("/") and not any(path.is_relative_to(system) for system in _SYSTEM)


def _refusal(settings: Settings) -> str:
    roots = _roots(settings)
    if roots is None:
        return "is a folder of the system or of Weft itself"
    return "is not under a folder that streams may read: see WEFT_SOURCE_ROOTS"
