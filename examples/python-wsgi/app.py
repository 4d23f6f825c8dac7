"""A page behind Guard, on the server that comes with Python: python3 app.py"""

import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from guard_wsgi import Guard


def page(environ, start_response):
    decision = environ.get("guard.answer", {}).get("decision", "nothing")
    html = f"""<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>The protected page</title>
  <h1>The protected page</h1>
  <p>Guard said: {decision}.</p>
</html>
"""
    start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [html.encode()]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


app = Guard(
    page,
    os.environ["GUARD_VALIDATE_URL"],
    os.environ["GUARD_SECRET_KEY"],
    on_failure=lambda why: print(f"no decision: {why}", file=sys.stderr),
)

if __name__ == "__main__":
    port = int(os.environ.get("PORT", "3000"))
    with make_server("127.0.0.1", port, app, Server, Handler) as server:
        print(f"The app is at http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()
