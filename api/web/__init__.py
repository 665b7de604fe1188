"""The pages that the server serves to people."""
