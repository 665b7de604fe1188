"""The OpenAPI document as it is kept in the repository: the description with examples from a running application."""

import json
from pathlib import Path

from api.schemas import Schema

PATH = Path(__file__).parent.parent / "openapi" / "openapi.json"
