"""The views of a game: one file a view, a pure function from the game to a value that is sent as it is."""
