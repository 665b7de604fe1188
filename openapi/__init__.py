"""The published documents, and what makes them."""
