"""Receives deliveries on http://localhost:3000/hook. Python 3.9 or newer, nothing to install:

    SIGNING_KEY=whsec_... python3 examples/receivers/python/receiver.py

GET /blocks shows the chain as the deliveries tell it.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Two keys, with a comma between them, while one replaces the other.
SIGNING_KEYS = os.environ.get("SIGNING_KEY", "").split(",")

# x-service-signature holds no time, so that a recorded request is good for ever.
ACCEPT_UNTIMED = os.environ.get("ACCEPT_UNTIMED") == "1"

# How far the time of an attempt may be from now, in both directions.
TOLERANCE_S = 300

# Results go up to 10 MB.
BODY_BYTES_MAX = 11_000_000

DELIVERIES_MAX = 50_000
BLOCKS_MAX = 100_000
SECONDS_MAX = 10

TIMED_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
ID = re.compile(r"[\w-]{1,100}", re.ASCII)
NUMBER = re.compile(r"0|[1-9][0-9]{0,30}")


class Refused(Exception):
    """The request is not from the service, not from now, or not a delivery."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


# ---- Is it ours? -------------------------------------------------------------------------------


def verify(body, headers, now_s):
    """Raises Refused unless one of our keys signed these bytes, lately."""
    if any(headers.get_all(name) for name in TIMED_HEADERS):
        return verify_timed(body, headers, now_s)
    if not ACCEPT_UNTIMED:
        raise Refused(401, "webhook-signature is missing")
    given = one(headers, "x-service-signature")
    expected = [
        hmac.new(key.encode(), body, hashlib.sha256).hexdigest() for key in SIGNING_KEYS
    ]
    if not any_equal([given], expected):
        raise Refused(401, "the signature is of another key or another body")


def verify_timed(body, headers, now_s):
    """Standard Webhooks: the id and the time of the attempt are signed too."""
    delivery_id, timestamp, signatures = (one(headers, name) for name in TIMED_HEADERS)
    if not ID.fullmatch(delivery_id) or not NUMBER.fullmatch(timestamp):
        raise Refused(401, "webhook-id or webhook-timestamp is malformed")
    if abs(now_s - int(timestamp)) > TOLERANCE_S:
        raise Refused(401, "webhook-timestamp is too far from now")
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = []
    for key in SIGNING_KEYS:
        secret = base64.b64decode(key[len("whsec_") :])
        digest = hmac.new(secret, signed, hashlib.sha256).digest()
        expected.append("v1," + base64.b64encode(digest).decode())
    # During a rotation there are two, separated by a space.
    if not any_equal(signatures.split(" "), expected):
        raise Refused(401, "the signature is of another key or another body")


def one(headers, name):
    """The value of a header; one that is there twice could mean either."""
    values = headers.get_all(name) or []
    if len(values) != 1:
        raise Refused(401, f"{name} is {'repeated' if values else 'missing'}")
    return values[0]


def any_equal(given, expected):
    """Compares in constant time, so that nobody can guess a signature byte by byte."""
    return any(
        hmac.compare_digest(mine.encode(), theirs.encode())
        for theirs in given
        for mine in expected
    )


# ---- Is it new? --------------------------------------------------------------------------------


class Memory:
    """What was taken. A real app has this in its database, in the transaction of its own work."""

    def __init__(self):
        self.lock = threading.Lock()
        self.taken = OrderedDict()
        self.newest = OrderedDict()
        self.blocks = OrderedDict()

    def take(self, delivery):
        """Says 'taken', 'repeat' or 'stale'; in all three cases there is nothing to send again."""
        event = delivery["event"]
        with self.lock:
            if delivery["id"] in self.taken:
                return "repeat"
            kind = "taken" if self.is_newest(delivery["webhookId"], event) else "stale"
            if kind == "taken":
                self.handle(event)
            # Only now: a delivery that could not be handled has to come again.
            keep(self.taken, delivery["id"], True, DELIVERIES_MAX)
            return kind

    def is_newest(self, webhook_id, event):
        """After a reorganisation a height comes again; its highest sequence number is right."""
        number = block_of(event).get("number")
        if number is None:
            return True
        sequence_number = int(event["sequenceNumber"])
        if sequence_number < self.newest.get((webhook_id, number), 0):
            return False
        keep(self.newest, (webhook_id, number), sequence_number, BLOCKS_MAX)
        return True

    def handle(self, event):
        """Your work. Whatever takes more than 5 seconds belongs into a queue of your own."""
        if "error" in event:
            return say(f"Headgate says: {event['error']}")
        block = block_of(event)
        number, block_hash = block.get("number"), block.get("hash", "")
        if number is None:
            return say(f"a result ({event['sequenceNumber']})")
        again = " again" if number in self.blocks else ""
        keep(self.blocks, number, block_hash, BLOCKS_MAX)
        say(f"block {number}{again}: {block_hash} ({event['sequenceNumber']})")


def keep(entries, key, value, entries_max):
    entries[key] = value
    entries.move_to_end(key)
    while len(entries) > entries_max:
        entries.popitem(last=False)


def block_of(event):
    data = event.get("data")
    block = data.get("block") if isinstance(data, dict) else None
    return block if isinstance(block, dict) else {}


def parse(body):
    """A delivery, or Refused when the bytes are none."""
    try:
        delivery = json.loads(body)
        event = delivery["event"]
        ids = (delivery["id"], delivery["webhookId"])
        is_whole = isinstance(event, dict) and all(ID.fullmatch(one_id) for one_id in ids)
        if is_whole and "error" not in event:
            number = block_of(event).get("number")
            is_whole = bool(NUMBER.fullmatch(event["sequenceNumber"])) and (
                number is None or (isinstance(number, int) and number >= 0)
            )
    except (ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise Refused(400, "the body is not a delivery")
    return delivery


# ---- The server --------------------------------------------------------------------------------

memory = Memory()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SECONDS_MAX

    def do_GET(self):
        if self.path != "/blocks":
            return self.answer(404, "POST /hook, or GET /blocks")
        with memory.lock:
            text = json.dumps(memory.blocks, separators=(",", ":"))
        self.answer(200, text)

    def do_POST(self):
        if self.path != "/hook":
            return self.answer(404, "POST /hook, or GET /blocks")
        try:
            body = self.body()
            verify(body, self.headers, time.time())
            kind = memory.take(parse(body))
        except Refused as refused:
            say(f"refused: {refused}")
            return self.answer(refused.status, "refused")
        self.answer(200, kind)

    def body(self):
        """The bytes as they were sent, which are what is signed."""
        length = self.headers.get("content-length", "")
        if not NUMBER.fullmatch(length):
            raise Refused(411, "content-length is missing")
        if int(length) > BODY_BYTES_MAX:
            raise Refused(413, "the body is too large")
        return self.rfile.read(int(length))

    def answer(self, status, text):
        content = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        if status >= 400:
            # What is left of the body would otherwise be read as the next request.
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """One line for each block is enough."""


def say(text):
    print(text, flush=True)


def main():
    if not all(key.startswith("whsec_") for key in SIGNING_KEYS):
        sys.exit("SIGNING_KEY=whsec_… is missing")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    say(f"waiting for deliveries at http://127.0.0.1:{server.server_port}/hook")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
