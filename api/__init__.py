"""The game over HTTP: thin controllers, and the parts that all requests share."""
