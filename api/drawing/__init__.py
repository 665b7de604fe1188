"""SVG images as PNG, drawn in processes of their own."""
