from pathlib import Path

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

ROOT = Path("/data")


class Search(BaseModel):
    search_content: str | None = None
    search_filename: str | None = None
    search_dir: str | None = None


@app.exception_handler(RequestValidationError)
@app.exception_handler(ValueError)
def refuse(request, error):
    return JSONResponse({"error": "invalid input"}, status_code=400)


def directory_of(name):
    directory = (ROOT / name.lstrip("/")).resolve()
    if not directory.is_relative_to(ROOT):
        raise ValueError("outside the data")
    return directory


def matches(path, search):
    if search.search_filename and search.search_filename not in path.name:
        return False
    return not search.search_content or search.search_content.encode() in path.read_bytes()


@app.post("/search")
def find(search: Search):
    if not search.search_content and not search.search_filename:
        raise ValueError("nothing to search for")
    directory = directory_of(search.search_dir or "")
    files = [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]
    return {"files": sorted(str(path) for path in files if matches(path, search))}


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=5000)
