"""Exit with 0 if the server of this container is ready, at the port and with the TLS that its environment sets."""

import os
import ssl
import urllib.request

port = os.environ.get("FRANCHISE_PORT") or os.environ.get("PORT") or "8000"
scheme = "https" if os.environ.get("FRANCHISE_TLS_CERTIFICATE") else "http"
unverified = ssl.create_default_context()
unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE  # the certificate names no 127.0.0.1
urllib.request.urlopen(  # noqa: S310 - no address from outside
    f"{scheme}://127.0.0.1:{port}/health/ready", timeout=14, context=unverified
)
