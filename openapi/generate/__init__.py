"""The build step that makes the published documents: `python -m openapi.generate`."""
