"""Records what python-requests sends for each of the cases of exchange-cases.json and how it takes the answers.

Run it with Python 3.11 or later, requests 2.32.3 and urllib3 2.3.0 in a virtual environment:
    python record_exchanges.py
It writes recorded-exchanges.json beside itself. In the record, boundaries are named BOUNDARY with their length kept and the server is
called localhost:5000.
"""

import base64
import json
import pathlib
import re
import socket
import struct
import threading

import requests
from requests import exceptions

HERE = pathlib.Path(__file__).parent
PLAIN = {"text": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}
CLASSES = ["TooManyRedirects", "InvalidJSONError", "InvalidHeader", "InvalidURL", "InvalidSchema", "ChunkedEncodingError",
           "ContentDecodingError", "ReadTimeout", "ConnectionError"]


def value(given):
    """A JSON value in which an object of one $-key stands for what JSON cannot say."""
    if isinstance(given, list):
        return [value(each) for each in given]
    if not isinstance(given, dict):
        return given
    if "$float" in given:
        return float(given["$float"])
    if "$repeat" in given:
        return given["$repeat"][0] * given["$repeat"][1]
    if "$base64" in given:
        return base64.b64decode(given["$base64"])
    if "$pairs" in given:
        return {key: value(each) for key, each in given["$pairs"]}
    return {key: value(each) for key, each in given.items()}


def answer_bytes(answer, port):
    raw = base64.b64decode(answer["base64"]) if "base64" in answer else b""
    text = answer.get("text", "").replace("{PORT}", str(port)).encode("latin-1")
    return text + raw + text_repeat(answer)


def text_repeat(answer):
    unit, times = answer.get("repeat", ["", 0])
    return unit.encode("latin-1") * times


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    while length and len(body) < int(length[1]):
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return head + b"\r\n\r\n" + body


class Server:
    def __init__(self, answers):
        self.answers = answers
        self.sent = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.kept = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            index = len(self.sent)
            answer = self.answers[min(index, len(self.answers) - 1)]
            if answer.get("early"):
                data = b""
                while b"\r\n\r\n" not in data:
                    data += connection.recv(1024)
                self.sent.append(b"")
            else:
                self.sent.append(read_request(connection))
            connection.sendall(answer_bytes(answer, self.port))
            if answer.get("end") == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if answer.get("end") == "keep":
                self.kept.append(connection)
            else:
                connection.close()


def perform(origin, asked, jar):
    options = {}
    if "query" in asked:
        options["params"] = value(asked["query"])
    if "json" in asked:
        options["json"] = value(asked["json"])
    if "body" in asked:
        options["data"] = value(asked["body"])
    if "fields" in asked:
        options["data"] = value(asked["fields"])
    if "files" in asked:
        options["files"] = [
            (part["field"], (part["name"], value(part["content"]), *([part["type"]] if "type" in part else [])))
            for part in asked["files"]
        ]
    if "headers" in asked:
        options["headers"] = asked["headers"]
    if asked.get("cookies"):
        options["cookies"] = jar
    method = asked.get("method", "GET")
    if asked.get("rawPath"):
        with requests.Session() as session:
            prepared = requests.Request(method, origin, **options).prepare()
            prepared.headers = requests.Request(method, origin, headers=requests.utils.default_headers(), **options).prepare().headers
            prepared.url = origin + asked["path"]
            return session.send(prepared, timeout=3)
    return requests.request(method, origin + asked["path"], timeout=3, **options)


def class_of(error):
    for name in CLASSES:
        if isinstance(error, getattr(exceptions, name)):
            return name
    return type(error).__name__


def result_of(answer):
    return {
        "status": answer.status_code,
        "reason": answer.reason,
        "body": base64.b64encode(answer.content).decode(),
        "text": answer.text if len(answer.content) < 5000 and answer.encoding else None,
        "headers": [[name, text] for name, text in answer.headers.items()],
        "cookies": [[cookie.name, cookie.value] for cookie in answer.cookies],
        "redirects": len(answer.history),
    }


def settled(data, port):
    data = data.replace(b"localhost:%d" % port, b"localhost:5000").replace(b"127.0.0.1:%d" % port, b"127.0.0.1:5000")
    boundary = re.search(rb"boundary=([0-9a-f]{32})", data)
    if boundary:
        data = data.replace(boundary[1], b"BOUNDARY".ljust(32, b"_"))
    return data.decode("latin-1")


def record(case):
    server = Server(case.get("answers", [PLAIN]))
    jar = None
    results = []
    for asked in case["requests"]:
        try:
            answer = perform(f"http://localhost:{server.port}", asked, jar)
            jar = answer.cookies
            results.append(result_of(answer))
        except (requests.RequestException, ValueError) as error:
            results.append({"error": class_of(error)})
    server.listener.close()
    return {"name": case["name"], "sent": [settled(data, server.port) for data in server.sent], "results": results}


def main():
    requests.sessions.Session.trust_env = False
    cases = json.loads((HERE / "exchange-cases.json").read_text())
    records = [record(case) for case in cases]
    lines = ",\n".join("  " + json.dumps(each) for each in records)
    (HERE / "recorded-exchanges.json").write_text(f"[\n{lines}\n]\n")


main()
