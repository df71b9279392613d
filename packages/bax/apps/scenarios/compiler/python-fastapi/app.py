import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

NAME = re.compile(r"\w[\w-]*\.(cpp|ts)", re.ASCII)
COMPILERS = {".cpp": ["g++", "-fsyntax-only"], ".ts": ["tsc", "--noEmit", "--pretty", "false"]}
SECONDS = 60


class Program(BaseModel):
    fileName: str
    fileContent: str


@app.post("/compile")
def compile_program(program: Program):
    if not NAME.fullmatch(program.fileName):
        return JSONResponse({"hasError": True, "compilerError": "not a file name of C++ or TypeScript"}, status_code=400)
    with TemporaryDirectory() as directory:
        source = Path(directory, program.fileName)
        source.write_text(program.fileContent)
        command = [*COMPILERS[source.suffix], source.name]
        try:
            run = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"hasError": True, "compilerError": "the compiler took too long"}
    failed = run.returncode != 0
    return {"hasError": failed, "compilerError": run.stdout + run.stderr if failed else None}


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=5000)
