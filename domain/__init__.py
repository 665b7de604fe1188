"""The rules of the game, the facts that record it, and the store that keeps them."""
