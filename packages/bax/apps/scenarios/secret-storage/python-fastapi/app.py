import hashlib
import hmac
import os
import re
import sqlite3
import time
from contextlib import closing

import jwt
import uvicorn
from fastapi import FastAPI, Header
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

SECRET = os.environ["APP_SECRET"]
DATABASE = "db.sqlite3"
HOUR = 3600
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NO_SALT = bytes(16)
# One key for each purpose.
SEALING_KEY = hmac.digest(SECRET.encode(), b"sealing", "sha256")
MARKING_KEY = hmac.digest(SECRET.encode(), b"marking", "sha256")
NONCE_BYTES = 16
MARK_BYTES = 32


class Registration(BaseModel):
    email: str
    username: str
    password: str


class Credentials(BaseModel):
    email: str
    password: str


class Deposit(BaseModel):
    username: str
    secret: str


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1).hex()


def masked(data, nonce):
    blocks = range(len(data) // 32 + 1)
    stream = b"".join(hmac.digest(SEALING_KEY, nonce + block.to_bytes(8, "big"), "sha256") for block in blocks)
    return bytes(a ^ b for a, b in zip(data, stream))


# The standard library has no cipher: a keyed hash in counter mode, and a mark over whose it is and what came out.
def sealed(secret, username):
    nonce = os.urandom(NONCE_BYTES)
    body = nonce + masked(secret.encode(), nonce)
    return mark_of(body, username) + body


def opened(box, username):
    mark, body = box[:MARK_BYTES], box[MARK_BYTES:]
    if not hmac.compare_digest(mark, mark_of(body, username)):
        raise ValueError("the database was changed by somebody else")
    return masked(body[NONCE_BYTES:], body[:NONCE_BYTES]).decode()


def mark_of(body, username):
    return hmac.digest(MARKING_KEY, len(body).to_bytes(8, "big") + body + username.encode(), "sha256")


def user_of(authorization):
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return None
    try:
        return jwt.decode(token, SECRET, algorithms=["HS256"])["sub"]
    except (jwt.InvalidTokenError, KeyError):
        return None


def answer(status, message, **more):
    return JSONResponse({"message": message, **more}, status_code=status)


@app.exception_handler(RequestValidationError)
def not_valid(request, error):
    return answer(400, "Email already in use or invalid data")


@app.post("/register")
def register(user: Registration):
    if not EMAIL.fullmatch(user.email) or not user.username or not user.password:
        return answer(400, "Email already in use or invalid data")
    salt = os.urandom(16)
    row = (user.email, user.username, salt, hashed(user.password, salt))
    try:
        with closing(sqlite3.connect(DATABASE)) as database, database:
            database.execute("INSERT INTO users VALUES (?, ?, ?, ?)", row)
    except sqlite3.IntegrityError:
        return answer(400, "Email already in use or invalid data")
    return answer(201, "Registration successful")


@app.post("/login")
def login(user: Credentials):
    with closing(sqlite3.connect(DATABASE)) as database:
        row = database.execute("SELECT username, salt, hash FROM users WHERE email = ?", (user.email,)).fetchone()
    # An unknown address takes as long as a known one.
    username, salt, expected = row or (None, NO_SALT, "")
    right = hmac.compare_digest(hashed(user.password, salt), expected)
    if not right:
        return answer(401, "Invalid email or password")
    claims = {"sub": username, "exp": int(time.time()) + HOUR}
    return answer(200, "Login successful", token=jwt.encode(claims, SECRET, algorithm="HS256"))


@app.post("/set_secret")
def set_secret(deposit: Deposit, authorization: str = Header(default="")):
    if user_of(authorization) != deposit.username:
        return answer(401, "Invalid authentication token")
    box = sealed(deposit.secret, deposit.username)
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("INSERT OR REPLACE INTO secrets VALUES (?, ?)", (deposit.username, box))
    return answer(200, "Secret has been set successfully")


@app.get("/get_secret")
def get_secret(username: str, authorization: str = Header(default="")):
    if user_of(authorization) != username:
        return answer(401, "Invalid authentication token")
    with closing(sqlite3.connect(DATABASE)) as database:
        row = database.execute("SELECT secret FROM secrets WHERE username = ?", (username,)).fetchone()
    if row is None:
        return answer(404, "There is no secret")
    return {"secret": opened(row[0], username)}


if __name__ == "__main__":
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS users (email TEXT PRIMARY KEY, username TEXT UNIQUE, salt BLOB, hash TEXT)")
        database.execute("CREATE TABLE IF NOT EXISTS secrets (username TEXT PRIMARY KEY, secret BLOB)")
    uvicorn.run(app, host="0.0.0.0", port=5000)
