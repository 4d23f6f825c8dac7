"""Asks Guard about one request, and prints what to do with it: python3 caller.py URL IP USER-AGENT"""

import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

TIMEOUT_S = 0.4


def ask(question):
    """Returns the status of the answer, and the body of a 200. Raises when no answer comes in time.

    http.client applies its timeout to each step, so each step gets the time that is left.
    urllib.request is not used, because it follows redirects and sends the key to their target.
    """
    deadline = time.monotonic() + TIMEOUT_S
    guard = urlsplit(os.environ["GUARD_VALIDATE_URL"])
    https = guard.scheme == "https"
    connect = http.client.HTTPSConnection if https else http.client.HTTPConnection
    connection = connect(guard.netloc, timeout=TIMEOUT_S)
    try:
        connection.connect()
        socket = connection.sock
        socket.settimeout(seconds_left(deadline))
        headers = {
            "Content-Type": "application/json",
            "x-api-key": os.environ["GUARD_SECRET_KEY"],
        }
        connection.request("POST", guard.path, json.dumps(question).encode(), headers)
        response = connection.getresponse()
        parts = []
        while response.status == 200:
            socket.settimeout(seconds_left(deadline))
            part = response.read1(65536)
            if not part:
                return response.status, b"".join(parts)
            parts.append(part)
        return response.status, b""
    finally:
        connection.close()


def seconds_left(deadline):
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def what_to_do(question):
    try:
        status, body = ask(question)
    except (OSError, http.client.HTTPException):
        return "decision=none action=pass"
    if 400 <= status < 500:
        return "decision=none action=answer status=403"  # otherwise visitors who cause a 4xx pass
    try:
        answer = json.loads(body) if status == 200 else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or answer.get("success") is not True:
        return "decision=none action=pass"
    decision = answer.get("decision")
    if decision in ("block", "redirect"):
        return f"decision={decision} action=answer status={answer.get('status_code', 403)}"
    if decision not in ("allow", "not_matched"):
        return "decision=none action=pass"
    if "response_html" in answer:
        return f"decision={decision} action=answer status={answer.get('status_code', 200)}"
    return f"decision={decision} action=pass"


if __name__ == "__main__":
    url, ip, agent = sys.argv[1:4]
    print(what_to_do({"url": url, "ip": ip, "method": "GET", "headers": {"user-agent": agent}}))
