"""Serves a live run to browsers on this computer.

It listens on the loopback address only, on a port that was free, and answers only addresses that begin with a token
made for this run, asked for under the loopback address itself; so neither another computer, nor another user who cannot
read this terminal, nor a web page that guesses the port sees anything. There is nothing to send to it: it has GET only.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from docksim.realtime.addresses import LOOPBACK
from docksim.replay.live import Feed


class LiveServer:
    """Use as a context; `address` is what to open."""

    def __init__(self, feed: Feed) -> None:
        self.token = secrets.token_urlsafe(24)
        self._http = ThreadingHTTPServer((LOOPBACK, 0), _handler(feed, self.token))
        self._http.daemon_threads = True
        self.port = self._http.server_port
        self.address = f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def __enter__(self) -> LiveServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def _handler(feed: Feed, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "docksim", ""
        timeout = 30

        def do_GET(self) -> None:
            given, _, rest = self.path.lstrip("/").partition("/")
            local = self.headers.get("Host", "") == f"{LOOPBACK}:{self.connection.getsockname()[1]}"
            if not local or not hmac.compare_digest(given.encode(), token.encode()):
                self._answer(404, "not found")
            elif rest == "":
                text = feed.page()
                if text:
                    self._answer(200, text, "text/html")
                else:
                    self._answer(503, "the run ended with nothing to show")
            elif rest == "frames":
                self._stream()
            else:
                self._answer(404, "not found")

        def _answer(self, code: int, text: str, kind: str = "text/plain") -> None:
            content = text.encode("utf-8")
            self.send_response(code)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self._common()
            self._send(content)

        def _stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self._common()
            with closing(feed.messages()) as messages:
                for kind, text in messages:
                    line = f"event: {kind}\ndata: {text}\n\n" if kind else ": still here\n\n"
                    if not self._send(line.encode("utf-8")):
                        return

        def _common(self) -> None:
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            self.end_headers()

        def _send(self, content: bytes) -> bool:
            """False if the page has gone."""
            try:
                self.wfile.write(content)
                self.wfile.flush()
            except OSError:
                return False
            return True

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the terminal belongs to the run."""

    return Handler
