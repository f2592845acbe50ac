"""A service without HTTP in a process of its own, to be killed: supervises the folder given as argument."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from app.jobs.supervisor import Supervisor
from app.persistence.database import Database
from app.settings import Settings

DRIVER = (sys.executable, str(Path(__file__).with_name("fake_driver.py")))


def main(home: Path) -> None:
    """Supervise until killed."""
    settings = Settings(home=home)
    Supervisor(settings, Database(settings.registry_url), command=DRIVER, tick=0.05).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
