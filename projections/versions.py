"""The version that every view names."""

from typing import Annotated

from msgspec import Meta

ViewVersion = Annotated[int, Meta(description="The version of the game that is shown, as in the `ETag`.")]
