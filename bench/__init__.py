"""Benchmarks. Each figure is compared with a floor or a peer measured in the same run."""
