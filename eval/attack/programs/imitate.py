"""Asks as a browser asks: its TLS and HTTP/2 handshakes, and its header fields in its order.

Each line of standard input is one request as JSON: id, browser, address, host, url, port of Guard, headers, body, file.
A header that is null is not sent. Each line of standard output is its answer: id, status, body, session. The body of a
file has a character for each byte. At the end of the input the last line is the processor time in milliseconds.
"""

import json
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from curl_cffi import CurlOpt, requests

output = Lock()


def say(value):
    with output:
        print(json.dumps(value), flush=True)


def ask(one):
    answer = requests.request(
        "GET" if one["body"] is None else "POST",
        one["url"],
        impersonate=one["browser"],
        interface=one["address"],
        headers=one["headers"],
        data=one["body"],
        verify=False,
        allow_redirects=False,
        curl_options={CurlOpt.RESOLVE: [f"{one['host']}:{one['port']}:127.0.0.1"]},
    )
    body = answer.content.decode("latin-1" if one["file"] else "utf-8")
    session = answer.cookies.get("_guard") or ""
    say({"id": one["id"], "status": answer.status_code, "body": body, "session": session})


def attempt(line):
    try:
        ask(json.loads(line))
    except Exception as error:
        say({"id": json.loads(line)["id"], "error": str(error)})


with ThreadPoolExecutor(32) as workers:
    for line in sys.stdin:
        workers.submit(attempt, line)
used = resource.getrusage(resource.RUSAGE_SELF)
say({"ms": 1000 * (used.ru_utime + used.ru_stime)})
