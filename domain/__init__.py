"""The game itself: rules, facts and the stream they are kept in."""
