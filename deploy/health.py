"""Exit with 0 if the server of this container is ready; the environment sets its port and TLS."""

import os
import ssl
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

port = os.environ.get("FRANCHISE_PORT") or os.environ.get("PORT") or "8000"
scheme = "https" if os.environ.get("FRANCHISE_TLS_CERTIFICATE") else "http"
unverified = ssl.create_default_context()
unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE  # the certificate is not for 127.0.0.1
directly = build_opener(ProxyHandler({}), HTTPSHandler(context=unverified))
directly.open(f"{scheme}://127.0.0.1:{port}/health/ready", timeout=14)
