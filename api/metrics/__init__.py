"""Metrics for Prometheus: kept by each process that serves, shown by their parent. Loaded only if they are on."""
