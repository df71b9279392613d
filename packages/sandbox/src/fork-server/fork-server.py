"""Imports modules once. For each request a copy of this process joins a sandbox and runs a script as if it had been started there.

This is a process of the host, without privileges, in the file tree of a sandbox of its own and as the user of that sandbox, whom its copies share.
Nothing of a submission ever reaches it: the copy, inside, reads what a request names. Descriptors: 0 takes requests and 1 gives answers, a JSON
object a line; 2 is for people; 3 is /proc and 4 the control groups of the host.
"""
import base64
import ctypes
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
import types
from importlib.machinery import SourceFileLoader

PROC, CGROUPS = 3, 4
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
NS_GET_PARENT = 0xB702
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
# How long the owner of the control groups may take to put a copy in its place.
JOIN_SECONDS = 10

libc = ctypes.CDLL(None, use_errno=True)


class SockFilterProgram(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_char_p)]


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f'{what}: {os.strerror(number)}')


def say(answer):
    os.write(answers, (json.dumps(answer) + '\n').encode())


def serve(seccomp):
    """Returns in copies only, inside their sandbox: the request."""
    loaded = {name.partition('.')[0] for name in sys.modules}
    buffered = b''
    copies = {}
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor != 0:
                request, pid = copies.pop(descriptor)
                poll.unregister(descriptor)
                os.close(descriptor)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                say({'id': request['id'], 'exit': code if code >= 0 else 128 - code})
                continue
            piece = os.read(0, 65536)
            if piece == b'':
                os._exit(0)
            *lines, buffered = (buffered + piece).split(b'\n')
            for request in map(json.loads, lines):
                pid = os.fork()
                if pid == 0:
                    attempt(request, seccomp, loaded)
                    return request
                pidfd = os.pidfd_open(pid)
                copies[pidfd] = (request, pid)
                poll.register(pidfd, select.POLLIN)


def attempt(request, seccomp, loaded):
    try:
        join(request, seccomp)
        os.chdir(request['cwd'])
        request['shadowed'] = shadows(loaded)
    except BaseException as error:
        try:
            say({'id': request['id'], 'failed': f'{type(error).__name__}: {error}'})
        finally:
            os._exit(1)


def join(request, seccomp):
    """Returns in the sandbox, in a process that is like one that was started there; what waits for its end stays behind."""
    inside = request['pid']
    names = ('user', 'mnt', 'net', 'ipc', 'uts', 'cgroup', 'pid')
    namespaces = {name: os.open(f'{inside}/ns/{name}', os.O_RDONLY, dir_fd=PROC) for name in names}
    output = [os.open(f'{inside}/fd/{number}', os.O_WRONLY, dir_fd=PROC) for number in (1, 2)]
    # Its number may be another's by now.
    if groups_of(inside, request['group']) == 0:
        raise ProcessLookupError('what held the place has ended')
    say({'id': request['id'], 'pid': os.getpid()})
    for path in request['files']:
        tasks = os.open(os.path.relpath(path, '/sys/fs/cgroup'), os.O_WRONLY, dir_fd=CGROUPS)
        os.write(tasks, b'0')
        os.close(tasks)
    user = namespaces['user']
    # With an id other than 0 the processes of a sandbox are one user namespace below the one that owns its other namespaces.
    owner = fcntl.ioctl(user, NS_GET_PARENT)
    nested = os.fstat(owner).st_ino != os.stat('self/ns/user', dir_fd=PROC).st_ino
    set_namespace(owner if nested else user, CLONE_NEWUSER)
    for name, kind in (('mnt', CLONE_NEWNS), ('net', CLONE_NEWNET), ('ipc', CLONE_NEWIPC), ('uts', CLONE_NEWUTS), ('pid', CLONE_NEWPID)):
        set_namespace(namespaces[name], kind)
    wait_for_groups(request, inside)
    set_namespace(namespaces['cgroup'], CLONE_NEWCGROUP)
    leave_behind(os.sysconf('SC_OPEN_MAX'))
    os.setsid()
    if nested:
        set_namespace(user, CLONE_NEWUSER)
    os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
    os.dup2(output[0], 1)
    os.dup2(output[1], 2)
    os.closerange(3, os.sysconf('SC_OPEN_MAX'))
    drop_privileges(seccomp)
    # As the child of a shell: no leader of a session or group.
    leave_behind(3)


def leave_behind(descriptors):
    """Goes on in a child. What stays behind closes its first descriptors, and ends as the child does."""
    child = os.fork()
    if child == 0:
        return
    os.closerange(0, descriptors)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def set_namespace(descriptor, kind):
    check(libc.setns(descriptor, kind), 'setns')


def wait_for_groups(request, inside):
    deadline = time.monotonic() + JOIN_SECONDS
    while True:
        if groups_of('self', request['group']) >= request['groups']:
            return
        if time.monotonic() > deadline:
            raise TimeoutError('it was not put into its control group')
        os.stat(str(inside), dir_fd=PROC)
        time.sleep(0.0005)


def groups_of(process, name):
    with open(os.open(f'{process}/cgroup', os.O_RDONLY, dir_fd=PROC)) as file:
        return sum(line.endswith(name + '\n') for line in file)


def drop_privileges(seccomp):
    capability = 0
    while libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), 'capset')
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 'no_new_privs')
    # A process that changed its credentials may not look at itself in /proc; one that was started there may.
    check(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 'dumpable')
    if seccomp:
        program = SockFilterProgram(len(seccomp) // 8, seccomp)
        check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0), 'seccomp')


def shadows(loaded):
    """Whether what lies beside the script would have been imported in place of something that is imported already."""
    return any(name.partition('.')[0] in loaded for name in os.listdir('.'))


def run(request):
    arguments = request['argv']
    os.environ.clear()
    os.environ.update(request['env'])
    if request['shadowed']:
        os.execv(sys.executable, ['python3', *arguments])
    path = os.path.abspath(arguments[0])
    sys.argv = arguments
    sys.orig_argv = ['python3', *arguments]
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    importlib.invalidate_caches()
    main = types.ModuleType('__main__')
    main.__dict__.update(__file__=path, __cached__=None, __loader__=SourceFileLoader('__main__', path), __annotations__={}, __builtins__=__builtins__)
    sys.modules['__main__'] = main
    try:
        with open(path, 'rb') as file:
            code = compile(file.read(), path, 'exec', dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        error = error.with_traceback(error.__traceback__.tb_next)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


# Where it was started from is no place of the script's.
del sys.path[0]
answers = os.dup(1)
os.dup2(2, 1)
signal.signal(signal.SIGINT, signal.SIG_IGN)
with os.fdopen(os.dup(0), 'rb', buffering=0) as requests:
    hello = json.loads(requests.readline())
failures = {}
for module in hello['modules']:
    try:
        importlib.import_module(module)
    except Exception as failure:
        failures[module] = f'{type(failure).__name__}: {failure}'
# Copies have one thread; what others held is never let go.
if len(os.listdir(os.open('self/task', os.O_RDONLY, dir_fd=PROC))) > 1:
    say({'refused': 'a module started a thread'})
    sys.exit(1)
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
gc.collect()
gc.freeze()
say({'ready': True, 'failures': failures})
wanted = serve(base64.b64decode(hello['filter']))
signal.signal(signal.SIGINT, signal.default_int_handler)
run(wanted)
