import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { graderConformance } from '../grader-conformance.ts';
import { pythonImage } from './python-image.ts';

const RUNNER = `
import json, os, sys
request = json.loads(sys.stdin.readline())
os.chdir(request["root"])
def emit(record, nonce=request["nonce"]):
    os.write(1, (json.dumps(dict(record, nonce=nonce)) + "\\n").encode())
def read(path):
    return open(path).read() if os.path.exists(path) else None
emit({"type": "start", "runner": "fixture"})
if os.path.exists("hostile.py"):
    exec(open("hostile.py").read())
passed = read("steer") == "pass" or read("value") == read("wanted")
emit({"type": "test", "id": "good", "status": "passed" if passed else "failed", "durationMs": 1})
emit({"type": "end", "tests": 1})
`;

graderConformance({
  grader: pythonImage.grader,
  program: ['/usr/bin/python3', '-I', '/tests/grade.py'],
  mounts: [],
  environment: async (directory) => {
    await mkdir(join(directory, 'bin'));
    await symlink('/usr/bin/python3', join(directory, 'bin', 'python'));
  },
  runner: { name: 'launch.py', text: RUNNER },
  hostile: 'hostile.py',
  attacks: {
    'a record with another nonce': 'emit({"type": "uncollected"}, "0" * 32)',
    'a line that is no record': 'os.write(1, b"hello\\n")',
    'a test reported twice': 'emit({"type": "test", "id": "good", "status": "passed"})',
    'an early exit': 'os._exit(0)',
    'an end without tests': 'emit({"type": "end", "tests": 0}); os._exit(0)',
    'an end that counts wrongly':
      'emit({"type": "test", "id": "good", "status": "passed"}); emit({"type": "end", "tests": 2}); os._exit(0)',
    'a record after the end': 'emit({"type": "end", "tests": 0})',
    'a test that never ends': 'import time\nwhile True: time.sleep(1)',
    'a flood': 'chunk = b"x" * 1048576\nfor _ in range(65): os.write(1, chunk)',
    'reads the contract': 'open("value", "w").write("good") if os.access("/tests/contract.json", os.R_OK) else None',
    'writes where the reward lies': 'open("/logs/verifier/mine", "w"); open("value", "w").write("good")',
    'leaves a daemon':
      'import subprocess; subprocess.Popen(["setsid", "sh", "-c", "trap \\"\\" TERM HUP; sleep 1000"], start_new_session=True)',
    'looks for output of tools':
      'open("value", "w").write("good") if os.path.exists("__pycache__/new") or read(".venv/state") != "changed" else None',
  },
});
