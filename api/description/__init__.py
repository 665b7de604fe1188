"""The OpenAPI document and its rendered page: made from the operations, with examples from a tour."""
