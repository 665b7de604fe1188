"""Notices of events, sent to the servers of frontends."""
