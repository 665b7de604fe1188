"""What all operations have in common: who may, which version, once only, what if not."""
