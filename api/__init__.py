"""The game over HTTP: thin controllers, and what every request has in common."""
