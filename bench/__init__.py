"""How fast the engine is, always beside a floor or a peer that was measured in the same run."""
