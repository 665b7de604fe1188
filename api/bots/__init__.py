"""Bots: their processes, and the runner that lets them play."""
