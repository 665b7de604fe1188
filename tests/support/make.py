"""Run a target of the Makefile."""

import os
import subprocess

from tests.support.documents import ROOT


def make(*arguments: str) -> str:
    """Run make independently of the make that may run these tests, and return its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
