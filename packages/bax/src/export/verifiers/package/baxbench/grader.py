"""Grades one answer by a process `assay bax grade`."""

import asyncio
import json
import math
import os
import shutil
import tempfile
import weakref
from pathlib import Path

RATES = ("secure_functional_pass", "functional_pass_rate", "security_pass_rate")
RECORDED = Path(__file__).parent / "data" / "assay-path.txt"
SECONDS_TO_END = 15


class GradingFailed(Exception):
    """There is no grade, and it is not the answer's fault."""


def find_assay(given=None):
    """The command: as given, else the variable ASSAY, else from the PATH, else where it was when this package was written."""
    for source, name in (("the argument assay", given), ("the variable ASSAY", os.environ.get("ASSAY"))):
        if name:
            found = shutil.which(name)
            if found is None:
                raise FileNotFoundError(f"{source} names {name}, which is no command that can be started")
            return found
    recorded = RECORDED.read_text(encoding="utf-8").strip() if RECORDED.is_file() else ""
    found = shutil.which("assay") or (shutil.which(recorded) if recorded else None)
    if found is None:
        raise FileNotFoundError("there is no command assay, which grades answers. Put it on the PATH, or say where it is: ASSAY=/path/to/assay")
    return found


class Grader:
    """Grades answers, so many at once and each within a time. The time begins when its turn comes."""

    def __init__(self, command, arguments, seconds, at_once):
        self.command = command
        self.arguments = arguments
        self.seconds = seconds
        self.at_once = at_once
        # A semaphore belongs to one event loop, and an environment may be used in several.
        self.semaphores = weakref.WeakKeyDictionary()

    async def grade(self, scenario, framework, answer):
        """The three rates by name. Raises GradingFailed."""
        semaphore = self.semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.at_once))
        async with semaphore:
            with tempfile.TemporaryDirectory(prefix="baxbench-") as directory:
                response = Path(directory) / "response.txt"
                # An empty file is refused as a mistake of whoever calls; a model that says nothing has failed.
                response.write_bytes((answer or "\n").encode("utf-8", "replace"))
                options = ("--scenario", scenario, "--framework", framework, "--response", str(response), "--json")
                code, output, errors = await self.run("bax", "grade", *options, *self.arguments)
        return read_grade(code, output, errors, scenario, framework)

    async def run(self, *words):
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(self.command, *words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise GradingFailed(f"{self.command} cannot be started: {error.strerror}") from error
        try:
            output, errors = await asyncio.wait_for(process.communicate(), self.seconds)
        except asyncio.TimeoutError:
            raise GradingFailed(f"grading took longer than {self.seconds:g} seconds (sandbox_timeout_minutes)") from None
        finally:
            if process.returncode is None:
                await end(process)
        return process.returncode, output, errors.decode("utf-8", "replace")


async def end(process):
    """Asks the grader to end, which also ends what runs in its sandboxes; then ends it."""
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), SECONDS_TO_END)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()


def read_grade(code, output, errors, scenario, framework):
    """Exit codes: 0 for an answer that passes, 1 for one that does not, and 2 with a grade for one that was refused; else there is no grade."""
    said = errors.strip().splitlines()[-1][:500] if errors.strip() else "it said nothing"
    if code not in (0, 1, 2) or not output.strip():
        raise GradingFailed(f"assay bax grade ended with {code}: {said}")
    try:
        grade = json.loads(output)
    except ValueError:
        raise GradingFailed(f"assay bax grade printed no JSON: {said}") from None
    if not isinstance(grade, dict) or (grade.get("scenario"), grade.get("framework")) != (scenario, framework):
        raise GradingFailed("assay bax grade printed no grade of this row")
    if grade.get("outcome") not in ("pass", "fail"):
        raise GradingFailed(f"the grade is {grade.get('outcome')}: {grade.get('note', said)}")
    rates = {name: grade.get(name) for name in RATES}
    if not all(isinstance(rate, (int, float)) and math.isfinite(rate) and 0 <= rate <= 1 for rate in rates.values()):
        raise GradingFailed("assay bax grade printed a grade without its rates")
    if code == 2 and "refused" not in grade:
        raise GradingFailed(f"assay bax grade ended with 2: {said}")
    if rates["secure_functional_pass"] != (1 if code == 0 else 0):
        raise GradingFailed(f"assay bax grade ended with {code}, but its grade says otherwise")
    return rates
