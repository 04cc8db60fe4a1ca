"""A small OpenID Connect provider on this machine: whoever asks chooses who they are."""

import json
import secrets
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "rulekit", "only for tests"
PEOPLE = ("ada", "ben")


@contextmanager
def provided() -> Iterator[str]:
    """Serve the provider; give the address of its description."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
    server.asked = {}  # a code: who it is for, and what they were asked with
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Answers(BaseHTTPRequestHandler):
    server: Any

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        requested = {name: values[0] for name, values in parse_qs(address.query).items()}
        here = f"http://127.0.0.1:{self.server.server_port}"
        if address.path == "/.well-known/openid-configuration":
            self._tell(
                {
                    "issuer": here,
                    "authorization_endpoint": f"{here}/authorize",
                    "token_endpoint": f"{here}/token",
                    "jwks_uri": f"{here}/keys",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )
        elif address.path == "/keys":
            self._tell({"keys": [self.server.key.as_dict(private=False)]})
        elif address.path == "/authorize":
            assert requested["client_id"] == CLIENT
            links = (
                f'<p><a href="/chosen?{urlencode(requested | {"person": name})}">{name}</a></p>'
                for name in PEOPLE
            )
            self._answer(200, "text/html", "<!doctype html>" + "".join(links))
        elif address.path == "/chosen":
            code = secrets.token_urlsafe()
            self.server.asked[code] = requested
            back = urlencode({"code": code, "state": requested["state"]})
            self.send_response(302)
            self.send_header("Location", f"{requested['redirect_uri']}?{back}")
            self.end_headers()
        else:
            self._answer(204, "text/plain", "")

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        form = {k: v[0] for k, v in parse_qs(self.rfile.read(length).decode()).items()}
        basic = b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        given = basic or f"{form.get('client_id')}:{form.get('client_secret')}"
        requested = self.server.asked.pop(form.get("code"), None)  # a code is good once
        if requested is None or given.replace("+", " ").replace("%20", " ") != f"{CLIENT}:{SECRET}":
            self._answer(400, "application/json", json.dumps({"error": "invalid_grant"}))
            return
        now = int(time.time())
        claims = {
            "iss": f"http://127.0.0.1:{self.server.server_port}",
            "sub": requested["person"],
            "email": f"{requested['person']}@example.org",
            "aud": CLIENT,
            "nonce": requested["nonce"],
            "iat": now,
            "exp": now + 3600,
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.server.key)
        self._tell({"access_token": "none", "token_type": "Bearer", "id_token": signed})

    def _tell(self, what: dict[str, Any]) -> None:
        self._answer(200, "application/json", json.dumps(what))

    def _answer(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        if status != 204:
            self.wfile.write(text.encode())

    def log_message(self, *message: Any) -> None:
        """Keep the test's output short."""
