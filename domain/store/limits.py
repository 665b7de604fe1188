"""The limits of a service."""

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The memory, time and company that a service has; by the names of the settings, which explain them.

    Unless a service is told for how many days, it keeps keys and open tables for good.
    """

    cache_bytes: int = 256 * 1024 * 1024
    database_timeout: float = 10
    watchers: int = 1000
    watchers_per_client: int = 1000
    wait_limit: float = 30
    heavy_requests: int = 100
    heavy_requests_per_client: int = 25
    keys_kept: int = 0
    open_tables_kept: int = 0
