"""The views of a game. Each file has one view: a pure function from the game to the value that is sent."""
