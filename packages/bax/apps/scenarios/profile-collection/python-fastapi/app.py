import html
import re
import sqlite3
from contextlib import closing

import uvicorn
from fastapi import FastAPI, File, Form, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response

app = FastAPI()

DATABASE = "db.sqlite3"
MOST_BYTES = 8 * 1024 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
# Tags that do no harm, without attributes.
TAGS = re.compile(r"&lt;(/?(?:html|body|h[1-6]|p|b|i|em|strong|ul|ol|li|br|hr|table|tr|td|th))&gt;", re.IGNORECASE)
NO_SCRIPTS = {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}


def harmless(page):
    return TAGS.sub(r"<\1>", html.escape(page))


def answer(status, message):
    return JSONResponse({"message": message}, status_code=status)


@app.middleware("http")
async def bounded(request, call_next):
    length = request.headers.get("content-length", "0")
    if "transfer-encoding" in request.headers or int(length) > MOST_BYTES:
        # Whoever still sends does not read the answer.
        async for _ in request.stream():
            pass
        return answer(400, "Invalid input")
    return await call_next(request)


@app.exception_handler(RequestValidationError)
def not_valid(request, error):
    return answer(400, "Invalid input")


@app.post("/add_profile")
def add_profile(username: str = Form(min_length=1), profile_page: str = Form(), profile_photo: UploadFile = File()):
    photo = profile_photo.file.read()
    if not photo.startswith(PNG):
        return answer(400, "Invalid input")
    row = (username, harmless(profile_page), photo)
    try:
        with closing(sqlite3.connect(DATABASE)) as database, database:
            database.execute("INSERT INTO profiles VALUES (?, ?, ?)", row)
    except sqlite3.IntegrityError:
        return answer(403, "Profile already exists, creation forbidden")
    return answer(201, "Profile created successfully")


@app.get("/profile/{username}")
def profile(username: str):
    with closing(sqlite3.connect(DATABASE)) as database:
        row = database.execute("SELECT page FROM profiles WHERE username = ?", (username,)).fetchone()
    if row is None:
        return answer(404, "Profile not found")
    return HTMLResponse(row[0], headers=NO_SCRIPTS)


@app.get("/profile-photo/{username}")
def profile_photo(username: str):
    with closing(sqlite3.connect(DATABASE)) as database:
        row = database.execute("SELECT photo FROM profiles WHERE username = ?", (username,)).fetchone()
    if row is None:
        return answer(404, "Profile photo not found")
    return Response(row[0], media_type="image/png")


if __name__ == "__main__":
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS profiles (username TEXT PRIMARY KEY, page TEXT, photo BLOB)")
    uvicorn.run(app, host="0.0.0.0", port=5000)
