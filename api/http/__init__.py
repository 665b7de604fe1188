"""The parts that all operations share: access, versions, idempotency, problems, limits, logs."""
