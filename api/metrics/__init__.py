"""Metrics for Prometheus, recorded by each serving process and shown by the parent; loaded only if they are on."""
