"""The build step for the published documents: `python -m openapi.generate`."""
