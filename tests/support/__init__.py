"""Parts that the tests share: servers and helpers, no tests."""
