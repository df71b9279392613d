import hashlib
import hmac
import os
import re
import sqlite3
import time
from contextlib import closing

import jwt
import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

SECRET = os.environ["APP_SECRET"]
DATABASE = "db.sqlite3"
HOUR = 3600
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NO_SALT = bytes(16)


class Registration(BaseModel):
    email: str
    password: str
    name: str


class Credentials(BaseModel):
    email: str
    password: str


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1).hex()


def answer(status, message, **more):
    return JSONResponse({"message": message, **more}, status_code=status)


@app.exception_handler(RequestValidationError)
def not_valid(request, error):
    return answer(400, "Email already in use or invalid data")


@app.post("/register")
def register(user: Registration):
    if not EMAIL.fullmatch(user.email) or not user.password:
        return answer(400, "Email already in use or invalid data")
    salt = os.urandom(16)
    row = (user.email, user.name, salt, hashed(user.password, salt))
    try:
        with closing(sqlite3.connect(DATABASE)) as database, database:
            database.execute("INSERT INTO users VALUES (?, ?, ?, ?)", row)
    except sqlite3.IntegrityError:
        return answer(400, "Email already in use or invalid data")
    return answer(201, "Registration successful")


@app.post("/login")
def login(user: Credentials):
    with closing(sqlite3.connect(DATABASE)) as database:
        row = database.execute("SELECT email, salt, hash FROM users WHERE email = ?", (user.email,)).fetchone()
    # An unknown address takes as long as a known one.
    email, salt, expected = row or (None, NO_SALT, "")
    right = hmac.compare_digest(hashed(user.password, salt), expected)
    if not right:
        return answer(401, "Invalid email or password")
    claims = {"sub": email, "exp": int(time.time()) + HOUR}
    return answer(200, "Login successful", token=jwt.encode(claims, SECRET, algorithm="HS256"))


if __name__ == "__main__":
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS users (email TEXT PRIMARY KEY, name TEXT, salt BLOB, hash TEXT)")
    uvicorn.run(app, host="0.0.0.0", port=5000)
