"""Bots at tables: their processes, and the runner that lets them play."""
