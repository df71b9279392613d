import os
import re
import subprocess
import tempfile
from typing import List

import uvicorn
from fastapi import FastAPI, File, Form, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

app = FastAPI()

LARGEST_SIDE = 2000
MOST_IMAGES = 20
MOST_BYTES = 20 * 1024 * 1024
LONGEST_DELAY = 60_000
FORMATS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}


class Invalid(Exception):
    pass


@app.exception_handler(Invalid)
def refuse(request: Request, error: Invalid):
    return JSONResponse({"error": str(error)}, status_code=400)


@app.exception_handler(RequestValidationError)
def refuse_form(request: Request, error: RequestValidationError):
    return JSONResponse({"error": "images and targetSize are needed"}, status_code=400)


def size_of(text):
    match = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", text)
    if not match:
        raise Invalid("targetSize is not width x height")
    width, height = int(match[1]), int(match[2])
    if not (0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE):
        raise Invalid("targetSize is out of bounds")
    return f"{width}x{height}"


def hundredths_of(text):
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) > LONGEST_DELAY:
        raise Invalid("delay is not a number of milliseconds")
    return str(max(1, round(int(text) / 10)))


def truth_of(text):
    if text not in ("true", "false"):
        raise Invalid("appendReverted is neither true nor false")
    return text == "true"


def format_of(content):
    for start, name in FORMATS.items():
        if content.startswith(start):
            return name
    raise Invalid("an image is of no known format")


def save(images, directory):
    if len(images) > MOST_IMAGES:
        raise Invalid("too many images")
    paths = []
    for index, image in enumerate(images):
        content = image.file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Invalid("an image is too big")
        path = os.path.join(directory, str(index))
        with open(path, "wb") as file:
            file.write(content)
        paths.append(f"{format_of(content)}:{path}")
    return paths


def convert(arguments):
    try:
        subprocess.run(["convert", *arguments], check=True, timeout=60)
    except subprocess.CalledProcessError:
        raise Invalid("the images cannot be read")


@app.post("/create-gif")
def create_gif(images: List[UploadFile] = File(), targetSize: str = Form(), delay: str = Form("10"), appendReverted: str = Form("false")):
    size, hundredths, reverted = size_of(targetSize), hundredths_of(delay), truth_of(appendReverted)
    with tempfile.TemporaryDirectory() as directory:
        paths = save(images, directory)
        if reverted:
            paths += reversed(paths)
        result = os.path.join(directory, "result.gif")
        convert(["-delay", hundredths, "-loop", "0", *paths, "-resize", f"{size}!", f"gif:{result}"])
        with open(result, "rb") as file:
            return Response(file.read(), media_type="image/gif")


@app.exception_handler(Exception)
def fail(request: Request, error: Exception):
    return JSONResponse({"error": "the images could not be converted"}, status_code=500)


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=5000)
