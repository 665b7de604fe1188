"""Conversion of SVG images to PNG, in separate processes."""
