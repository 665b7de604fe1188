"""A cache that is bounded by bytes."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """The values used last, of which each says how many bytes it takes. Threads may share it."""

    def __init__(self, most: int) -> None:
        """Keep values of so many bytes together, but at least the one put last."""
        self.most = most
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        self.size = 0

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is not there."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value, and drop those that were unused for longest."""
        with self._lock:
            if key in self._values:
                self.size -= self._values.pop(key)[1]
            self._values[key] = value, size
            self.size += size
            while self.size > self.most and len(self._values) > 1:
                self.size -= self._values.popitem(last=False)[1][1]

    def drop(self, key: K) -> None:
        """Drop a value, if it is there."""
        with self._lock:
            self.size -= self._values.pop(key, (None, 0))[1]

    def __len__(self) -> int:
        return len(self._values)
