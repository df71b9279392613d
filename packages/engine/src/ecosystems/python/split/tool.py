"""Strips hidden tests, compares what the stripped ones observed, guesses, makes controls, and renders what tests say as calls. See `split-facet.ts`.

Started as `python -I -S tool.py REQUEST.json`, or with `-` for a request on standard input; the answer is one JSON document on standard
output. Standard library only, Python 3.8 to 3.14.
"""
import json
import os
import sys

MAX_MEMORY = 4 * 1024 ** 3


def main(path):
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(3000)
    limit_memory()
    answer = run(read(path))
    sys.stdout.write(json.dumps(answer))
    sys.stdout.write("\n")


def read(path):
    if path == "-":
        # What was observed comes after the request, perhaps much later.
        return dict(json.loads(sys.stdin.buffer.readline().decode("utf-8")), observations=sys.stdin.buffer)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run(request):
    mode = request["mode"]
    if mode == "rewrite":
        from rewrite import rewrite as action
    elif mode == "evaluate":
        from evaluate import evaluate as action
    elif mode == "battery":
        from battery import battery as action
    elif mode == "control":
        from control import control as action
    elif mode == "tell":
        from tell import tell as action
    elif mode == "told":
        from told import told as action
    else:
        raise SystemExit("no such mode: %s" % mode)
    return action(request)


def limit_memory():
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    except (ImportError, ValueError, OSError):
        pass


if __name__ == "__main__":
    main(sys.argv[-1])
