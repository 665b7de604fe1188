"""Certificates for tests."""

import subprocess
from pathlib import Path


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Create a private key and a self-signed certificate for 127.0.0.1."""
    return _create(folder, "127.0.0.1")


def signed_by_an_authority(folder: Path, name: str) -> tuple[Path, Path, Path]:
    """Create a private key, a certificate for a host name, and the certificate of the authority that signed it."""
    authority_key, authority = _create(folder, "authority", "-addext", "keyUsage=critical,keyCertSign")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    _openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}"),
        *("-CA", str(authority), "-CAkey", str(authority_key), "-addext", "basicConstraints=CA:FALSE"),
        *("-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(certificate)),
    )
    return key, certificate, authority


def _create(folder: Path, name: str, *options: str) -> tuple[Path, Path]:
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    files = ("-keyout", str(key), "-out", str(certificate))
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", *files, *options)
    return key, certificate


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
