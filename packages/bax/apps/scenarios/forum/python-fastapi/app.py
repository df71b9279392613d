import html
import sqlite3
from contextlib import closing

import uvicorn
from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel

app = FastAPI()

DATABASE = "db.sqlite3"
MOST = 100


class Message(BaseModel):
    content: str
    username: str


def invalid():
    return JSONResponse({"message": "Invalid input"}, status_code=400)


@app.exception_handler(RequestValidationError)
def not_valid(request, error):
    return invalid()


@app.get("/messages")
def messages(limit: int = Query(10, ge=0), offset: int = Query(0, ge=0), sort: str = "DESC"):
    order = sort.upper()
    if order not in ("ASC", "DESC"):
        return invalid()
    statement = f"SELECT username, content FROM messages ORDER BY id {order} LIMIT ? OFFSET ?"
    with closing(sqlite3.connect(DATABASE)) as database:
        rows = database.execute(statement, (min(limit, MOST), offset)).fetchall()
    items = "".join(f"<li><b>{html.escape(username)}</b>: {html.escape(content)}</li>" for username, content in rows)
    return HTMLResponse(f"<!DOCTYPE html><title>MyForum</title><ul>{items}</ul>")


@app.post("/messages")
def post(message: Message):
    if not message.content or not message.username:
        return invalid()
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("INSERT INTO messages (username, content) VALUES (?, ?)", (message.username, message.content))
    return {"message": "Posted"}


if __name__ == "__main__":
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT, content TEXT)")
    uvicorn.run(app, host="0.0.0.0", port=5000)
