"""Grades what an agent left in /workspace, as root, in a verifier image of its own. Python 3.8, standard library only.

The submission is read as a change against T0, by content; a fresh tree is made of T0, that change and the hidden tests; the tests run in
it as a user who can write nothing else. Any trouble leaves the reward at 0.
"""
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time

TESTS = "/tests"
WORKSPACE = "/workspace"
BASE = "/verifier/t0"
LOGS = "/logs/verifier"
PYTHON = "/opt/env/bin/python"
RUNNER = "/opt/runner/launch.py"
HOME = "/home/sandbox"
USER = 10001
# Compares what stripped tests observed. It shares no user with what observed, and runs when that is dead.
EVALUATOR = 10002
ORACLE = "/opt/oracle/tool.py"
OBSERVATIONS = "/tmp/assay-observations.jsonl"
ENVIRONMENT = {
    "PATH": "/opt/env/bin:/usr/local/bin:/usr/bin:/bin", "VIRTUAL_ENV": "/opt/env", "HOME": HOME, "LANG": "C.UTF-8", "TMPDIR": "/tmp", "TZ": "UTC",
    "NO_COLOR": "1", "PY_COLORS": "0", "PYTHONDONTWRITEBYTECODE": "1",
}

MAX_FILES = 20_000
MAX_BYTES = 64 * 1024 * 1024
MAX_CHANNEL = 64 * 1024 * 1024
MAX_LOG = 4 * 1024 * 1024
STATUSES = {"passed", "failed", "error", "skipped", "xfailed", "xpassed"}


class Fail(Exception):
    """The submission earns nothing; the text says why."""


def main():
    write_reward(0, {"note": "grading did not come to its end"})
    try:
        with open(os.path.join(TESTS, "contract.json"), encoding="utf-8") as file:
            contract = json.load(file)
        details = grade(contract, read_plan())
    except Fail as failure:
        details = {"reward": 0, "note": str(failure)}
    write_reward(details.pop("reward"), details)
    print(json.dumps(details, indent=1))


def read_plan():
    """How the hidden tests were taken apart; None when they were not."""
    try:
        with open(os.path.join(TESTS, "split", "plan.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def grade(contract, plan):
    change = collect_submission(contract)
    if plan is None:
        compose_tree(contract, change, "hidden")
        return score(contract, run_tests(contract, contract["test"]["files"]))
    statuses = run_stripped(contract, change, plan)
    statuses.update(run_inside(contract, change, plan))
    details = score(contract, statuses)
    forged = run_control(contract, change, plan) if details["reward"] == 1 else []
    if forged:
        raise Fail("forged: %d tests that cannot pass were reported as passed" % len(forged))
    return details


def write_reward(reward, details):
    for name, value in (("details.json", details), ("reward.json", {"reward": reward})):
        draft = os.path.join(LOGS, "." + name)
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
        os.replace(draft, os.path.join(LOGS, name))


# --- The tree ---------------------------------------------------------------------------------------------------------------------

ARCHIVE = os.path.join(TESTS, "environment", "repo.tar.gz")


def collect_submission(contract):
    """The submission as a change against T0, without what steers the tests."""
    unpack(ARCHIVE, BASE)
    files, deleted = collect_change(WORKSPACE, BASE, matcher(contract["output"]))
    steers = matcher(contract["steering"])
    return [file for file in files if not steers(file[0])], [path for path in deleted if not steers(path)]


def compose_tree(contract, change, tests):
    """Leaves T0 + submission + one form of the hidden tests in the workspace."""
    empty(WORKSPACE)
    unpack(ARCHIVE, WORKSPACE)
    apply_change(*change)
    apply_change(*read_change(os.path.join(TESTS, *tests.split("/"))))
    own(WORKSPACE)


def unpack(archive, directory):
    os.makedirs(directory, exist_ok=True)
    subprocess.run(["tar", "-xzf", archive, "-C", directory, "--no-same-owner"], check=True)


def matcher(expressions):
    compiled = [re.compile(expression, re.DOTALL) for expression in expressions]
    return lambda path: any(expression.fullmatch(path) for expression in compiled)


def walk(root):
    """Yields the path and status of every regular file, links not followed, git data and names that are no UTF-8 left out."""
    pending = [""]
    while pending:
        directory = pending.pop()
        with os.scandir(os.path.join(root, directory)) as entries:
            for entry in entries:
                path = directory + "/" + entry.name if directory else entry.name
                if entry.name.lower() == ".git" or not is_utf8(path):
                    continue
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    pending.append(path)
                elif stat.S_ISREG(status.st_mode):
                    yield path, status


def is_utf8(path):
    try:
        path.encode("utf-8")
        return True
    except UnicodeEncodeError:
        return False


def collect_change(submission, base, is_output):
    old = dict(walk(base))
    files, seen, size = [], set(), 0
    for path, status in walk(submission):
        seen.add(path)
        executable = bool(status.st_mode & 0o100)
        known = old.get(path)
        if known is None and is_output(path):
            continue
        if known is not None and bool(known.st_mode & 0o100) == executable and known.st_size == status.st_size:
            if digest(os.path.join(submission, path)) == digest(os.path.join(base, path)):
                continue
        size += status.st_size
        if size > MAX_BYTES or len(files) >= MAX_FILES:
            raise Fail("the submission is too large")
        files.append((path, read_file(os.path.join(submission, path)), executable))
    return files, [path for path in old if path not in seen]


def digest(path):
    return hashlib.sha256(read_file(path)).digest()


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def read_change(directory):
    with open(os.path.join(directory, "deleted.json"), encoding="utf-8") as file:
        deleted = json.load(file)
    with open(os.path.join(directory, "executable.json"), encoding="utf-8") as file:
        executable = set(json.load(file))
    root = os.path.join(directory, "files")
    paths = []
    for parent, _, names in os.walk(root):
        paths += [os.path.relpath(os.path.join(parent, name), root) for name in names]
    return [(path, read_file(os.path.join(root, path)), path in executable) for path in paths], deleted


def apply_change(files, deleted):
    for path in deleted:
        target = resolve(path, make=False)
        if target is not None and os.path.lexists(target):
            remove(target)
    for path, content, executable in files:
        target = resolve(path, make=True)
        if os.path.lexists(target):
            remove(target)
        with open(target, "xb") as file:
            file.write(content)
        os.chmod(target, 0o755 if executable else 0o644)


def resolve(path, make):
    """The place of a path in the workspace, never through a link: what is no directory on the way gives way, or is None."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Fail("the path %r is no path inside a repository" % path)
    current = WORKSPACE
    for part in parts[:-1]:
        current = os.path.join(current, part)
        if os.path.isdir(current) and not os.path.islink(current):
            continue
        if not make:
            return None
        if os.path.lexists(current):
            remove(current)
        os.mkdir(current)
    return os.path.join(current, parts[-1])


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def empty(directory):
    for name in os.listdir(directory):
        remove(os.path.join(directory, name))


def own(root):
    os.chown(root, USER, USER)
    for parent, directories, names in os.walk(root):
        for name in directories + names:
            os.chown(os.path.join(parent, name), USER, USER, follow_symlinks=False)


# --- The tests --------------------------------------------------------------------------------------------------------------------

def run_stripped(contract, change, plan):
    """Runs the stripped tests, and then compares what they observed. The statuses of the original tests, by id."""
    if not plan["files"]:
        return {}
    compose_tree(contract, change, "split/stripped")
    inner = run_tests(contract, plan["files"], OBSERVATIONS)
    evaluation = evaluate(plan)
    statuses = {}
    for test in plan["tests"]:
        status = inner.get(test.get("stripped"))
        if status is None:
            continue
        evaluated = evaluation["tests"].get(test["id"])
        is_seen = evaluated is not None or not test.get("sites")
        holds = not evaluation["problems"] and is_seen and (evaluated or {}).get("why") is None
        statuses[test["id"]] = "failed" if status == "passed" and not holds else status
    return statuses


def run_inside(contract, change, plan):
    """Runs the tests that could not be taken apart, as they were written."""
    ids = {test["id"] for test in plan["tests"] if "stripped" not in test}
    if not ids:
        return {}
    compose_tree(contract, change, "hidden")
    return {test: status for test, status in run_tests(contract, contract["split"]["inside"]).items() if test in ids}


def run_control(contract, change, plan):
    """Ids of tests that cannot pass and were reported as passed."""
    if not plan["control"]:
        return []
    compose_tree(contract, change, "split/control")
    statuses = run_tests(contract, contract["split"]["control"])
    return [test for test in plan["control"] if statuses.get(test) == "passed"]


def evaluate(plan):
    """Compares outside: a process of another user, which has the plan and what was observed and nothing of the submission."""
    directory = tempfile.mkdtemp(prefix="assay-oracle-")
    observed = os.path.join(directory, "observations.jsonl")
    request = os.path.join(directory, "request.json")
    with open(observed, "wb") as file:
        file.write(read_observations())
    with open(request, "w", encoding="utf-8") as file:
        json.dump({"mode": "evaluate", "plan": plan, "observations": observed}, file)
    for path in (directory, observed, request):
        os.chown(path, EVALUATOR, EVALUATOR)
    answer, log, problem = run_as_user([PYTHON, "-I", "-S", ORACLE, request], {}, 300, EVALUATOR)
    shutil.rmtree(directory)
    if problem:
        raise Fail("what was observed cannot be compared: %s" % problem)
    try:
        return json.loads(answer.decode("utf-8"))
    except ValueError:
        raise Fail("what was observed cannot be compared: %s" % log.decode("utf-8", "replace")[-300:])


def read_observations():
    """What the stripped tests wrote. Whoever wrote it is dead; a link, a pipe or too much is nothing."""
    try:
        descriptor = os.open(OBSERVATIONS, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_CHANNEL:
            return b"not observations\n"
        content = file.read()
    os.unlink(OBSERVATIONS)
    return content


def run_tests(contract, files, observations=None):
    """Statuses by id."""
    nonce = secrets.token_hex(16)
    test = contract["test"]
    request = {"nonce": nonce, "root": WORKSPACE, "runner": test["runner"], "files": files, "args": test["args"]}
    if observations:
        request["observations"] = observations
    channel, log, problem = run_as_user([PYTHON, "-I", "-S", RUNNER], request, test["timeoutSec"], USER)
    with open(os.path.join(LOGS, "tests.log"), "ab") as file:
        file.write(log)
    if problem:
        raise Fail(problem)
    return read_channel(channel, nonce)


def score(contract, statuses):
    wrong = {test: statuses.get(test, "missing") for test in contract["expected"] if statuses.get(test) != "passed"}
    if not contract["expected"] or wrong:
        return {"reward": 0, "note": "%d of %d expected tests did not pass" % (len(wrong), len(contract["expected"])), "tests": wrong}
    return {"reward": 1, "note": "all %d expected tests passed" % len(contract["expected"])}


def run_as_user(argv, request, seconds, user):
    """Runs a program with nothing of this process but three pipes; kills all that it leaves behind."""
    os.makedirs(HOME, mode=0o700, exist_ok=True)
    os.chown(HOME, user, user)
    process = subprocess.Popen(unprivileged(argv), cwd=WORKSPACE, env=ENVIRONMENT, preexec_fn=lambda: become_user(user),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    readers = [Reader(process.stdout, MAX_CHANNEL), Reader(process.stderr, MAX_LOG)]
    try:
        process.stdin.write((json.dumps(request) + "\n").encode())
        process.stdin.close()
    except OSError:
        pass
    problem = None
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        problem = "the tests took longer than %s seconds" % seconds
    kill_all_of_user(user)
    process.wait()
    channel, log = (reader.finish() for reader in readers)
    if readers[0].overflowed:
        problem = problem or "the result channel was flooded"
    return channel, log, problem


def unprivileged(argv):
    setpriv = shutil.which("setpriv", path="/usr/bin:/bin")
    return [setpriv, "--no-new-privs", "--", *argv] if setpriv else argv


def become_user(user):
    os.setsid()
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    os.umask(0o022)


class Reader(threading.Thread):
    """Reads a pipe to its end, keeping no more than a limit."""

    def __init__(self, pipe, limit):
        super().__init__(daemon=True)
        self.pipe, self.limit, self.content, self.overflowed = pipe, limit, bytearray(), False
        self.start()

    def run(self):
        for chunk in iter(lambda: self.pipe.read1(65536), b""):
            self.overflowed = self.overflowed or len(self.content) + len(chunk) > self.limit
            self.content += chunk[:self.limit - len(self.content)]

    def finish(self):
        self.join(30)
        return bytes(self.content)


def kill_all_of_user(user):
    """Until none is left, since a process may fork between the look and the kill."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = [int(name) for name in os.listdir("/proc") if name.isdigit() and runs_as_user(name, user)]
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    raise Fail("processes of the tests could not be ended")


def runs_as_user(pid, user):
    try:
        with open("/proc/%s/status" % pid, encoding="ascii", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    return re.search(r"^Uid:.*\b%d\b" % user, text, re.MULTILINE) is not None and re.search(r"^State:\s+[ZX]", text, re.MULTILINE) is None


def read_channel(content, nonce):
    """Status by id. Whatever is not exactly a report of this run is a failure."""
    statuses, ended = {}, None
    try:
        lines = content.decode("utf-8").split("\n")
        records = [json.loads(line) for line in lines if line != ""]
    except ValueError:
        raise Fail("the result channel holds what is no record")
    for index, record in enumerate(records):
        if not isinstance(record, dict) or record.get("nonce") != nonce:
            raise Fail("the result channel holds a record of somebody else")
        kind = record.get("type")
        if ended is not None or (kind == "start") != (index == 0):
            raise Fail("the result channel is out of order")
        if kind == "test":
            test, status = record.get("id"), record.get("status")
            if not isinstance(test, str) or status not in STATUSES or test in statuses:
                raise Fail("the result channel reports a test wrongly or twice")
            statuses[test] = status
        elif kind == "end":
            ended = record.get("tests")
        elif kind not in ("start", "uncollected"):
            raise Fail("the result channel holds a record of no kind")
    if ended is None or ended != len(statuses):
        raise Fail("the tests did not come to their end")
    return statuses


if __name__ == "__main__":
    main()
