"""Benchmarks: each figure is measured beside a floor or a peer in the same run."""
