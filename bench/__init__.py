"""Benchmarks: each figure is compared with a floor or a peer that is measured in the same run."""
