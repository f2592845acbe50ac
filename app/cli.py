"""The command line: ``weft serve``, ``weft calibrate`` and ``weft openapi``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, NoReturn

import typer
import uvicorn
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from app.calibration import COMMAND
from app.jobs.supervisor import SupervisorError
from app.main import create_app
from app.openapi import render
from app.persistence.migrate import MigrationError, migrate
from app.settings import Settings, SettingsError

__all__ = ["cli", "main"]

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Many continuous queries, one Spark job.")


@cli.command()
def serve() -> None:
    """Serve the API; the settings are environment variables, see docs/reference/settings.md."""
    try:
        settings = Settings()
        # The service would do both at its start, too; here what cannot be used is told in a sentence.
        app = create_app(settings, supervise=False, calibrates=True)
        migrate(app.state.database)
        app.state.supervisor.start()
    except (SettingsError, MigrationError, SupervisorError) as error:
        _fail(str(error))
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        _fail(f"WEFT_DATABASE_URL cannot be used: {str(error).splitlines()[0]}")
    except ValidationError as error:
        _fail("; ".join(f"WEFT_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    try:
        uvicorn.run(app, host=settings.host, port=settings.port, server_header=False)
    finally:
        app.state.supervisor.stop()  # for a service that did not come as far as stopping it by itself


@cli.command()
def calibrate(
    quick: Annotated[bool, typer.Option(help="Measure kernels only, without Spark.")] = False,
    plain: Annotated[bool, typer.Option(help="Show no progress.")] = False,
) -> None:
    """Measure what this machine takes for each operation; plans then tell times, and auto goes by them."""
    home = Settings().home
    home.mkdir(parents=True, exist_ok=True)
    flags = [flag for flag, given in (("--quick", quick), ("--plain", plain)) if given]
    # In a process of its own: the service's never loads Spark.
    raise typer.Exit(subprocess.run([*COMMAND, str(home), *flags], check=False).returncode)


@cli.command()
def openapi(
    output: Annotated[Path | None, typer.Option(help="File to write; default: standard output.")] = None,
) -> None:
    """Write the OpenAPI document."""
    with tempfile.TemporaryDirectory() as home:
        # Every setting that shapes the document is given, so that it does not depend on the environment.
        text = render(create_app(Settings(home=Path(home), database_url=None, api_keys=()), supervise=False))
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text)


def _fail(message: str) -> NoReturn:
    typer.echo(f"weft: {message}", err=True)
    raise typer.Exit(2)


def main() -> None:
    """The console script."""
    cli()
