"""The operations: one file a part of the API, thin."""
