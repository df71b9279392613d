"""Runs pytest and reports each test as a record that carries a nonce. See `verify/channel-format.md`.

Started as `python -I -S launch.py`: no PYTHON* variables, no user site, no script directory, no sitecustomize. Standard input is one
line of JSON: `nonce`, `signed` (how it is used), `root` (the repository), `files` (relative to it; none means the whole suite), `args` (for
pytest), `only` (ids of tests: no others are run, but for other parameters of theirs), and for stripped tests `observations` (the file that
what they observe is appended to), `signals` (whether to write records of that type).
Works on Python 3.6 to 3.14 and pytest 4.6 to 9.
"""
import os
import sys


def main():
    sys.dont_write_bytecode = True
    request_text = read_line(0)
    # From here on nothing can find the result channel as descriptor 0, 1 or 2.
    channel = move_away(1)
    hide_from_children()

    import json

    request = json.loads(request_text)
    root = os.path.realpath(request["root"])
    os.chdir(root)

    channels, interpreter = with_runner_modules(import_basics)
    emit = channels.open_channel(channel, request.pop("nonce"), request.get("signed", False))
    del request_text
    interpreter.prepare_interpreter(root)
    session = with_runner_modules(import_session)
    observer = None
    if request.get("observations"):
        observer = with_runner_modules(import_observer).install(request["observations"])
    options = {"observer": observer, "wants_signals": request.get("signals", False), "only": request.get("only")}
    status = session.run_pytest(root, request["files"], request["args"], emit, **options)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(status)


def read_line(descriptor):
    """The first line of a descriptor, which is the null device afterwards. The rest is never read."""
    chunks = []
    while not chunks or b"\n" not in chunks[-1]:
        chunk = os.read(descriptor, 65536)
        if not chunk:
            break
        chunks.append(chunk)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, descriptor)
    os.close(null)
    return b"".join(chunks).split(b"\n", 1)[0].decode("utf-8")


def move_away(descriptor):
    """Moves a descriptor out of reach of `closerange(3, 256)` and of children; what it was becomes standard error."""
    import fcntl

    high = None
    for start in (700, 200, 20):
        try:
            high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, start)
            break
        except OSError:
            continue
    os.dup2(2, descriptor)
    return high


def hide_from_children():
    """A process that is not dumpable keeps others of its user out of its /proc/<pid>/fd, mem and environ."""
    try:
        import ctypes

        pr_set_dumpable = 4
        ctypes.CDLL(None).prctl(pr_set_dumpable, 0, 0, 0, 0)
    except Exception as error:  # No ctypes in this interpreter: one layer less.
        sys.stderr.write("assay: processes of the tests can look into the runner: %s\n" % error)


def import_basics():
    import assay_channel
    import assay_interpreter

    return assay_channel, assay_interpreter


def import_session():
    import assay_session

    return assay_session


def import_observer():
    import assay_observe

    return assay_observe


def with_runner_modules(action):
    """Runs `action` with this directory on the path, which it leaves again before anything of the repository is loaded."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path.insert(0, here)
    try:
        return action()
    finally:
        sys.path.remove(here)


# Children made by multiprocessing import this file under another name.
if __name__ == "__main__":
    main()
