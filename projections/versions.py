"""The version of a view."""

from typing import Annotated

from msgspec import Meta

ViewVersion = Annotated[int, Meta(description="The version of the game in this response, as in the `ETag`.")]
