"""Pictures of boards and games as SVG."""
