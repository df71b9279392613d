"""Installs the wheels of a lock into the virtual environment whose Python runs this. No index, no resolver, no other program.

Called as: install_wheels.py LOCK WHEELS
Each line of LOCK is `name==version --hash=sha256:…` and has one wheel in WHEELS with that hash. Runs inside a sandbox, on any Python from 3.6.
"""
import base64
import configparser
import hashlib
import os
import re
import sys
import sysconfig
import zipfile

SCRIPT = """#!{python}
import sys
from {module} import {first}
if __name__ == "__main__":
    sys.exit({call}())
"""


def wheels_by_hash(directory):
    found = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".whl"):
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                found[hashlib.sha256(file.read()).hexdigest()] = path
    return found


class Installer:
    def __init__(self, wheel):
        self.archive = zipfile.ZipFile(wheel)
        self.site = sysconfig.get_path("purelib")
        self.schemes = {"purelib": self.site, "platlib": self.site, "scripts": sysconfig.get_path("scripts"), "data": sys.prefix, "headers": os.path.join(sys.prefix, "include", "site")}
        self.record = []
        self.info = next(name.split("/")[0] for name in self.archive.namelist() if re.match(r"[^/]+\.dist-info/WHEEL$", name))

    def install(self):
        for name in sorted(self.archive.namelist()):
            if not name.endswith("/") and name != self.info + "/RECORD":
                self.place(name, self.archive.read(name))
        for script, reference in self.entry_points():
            self.write(os.path.join(self.schemes["scripts"], script), self.script(reference), True)
        self.write(os.path.join(self.site, self.info, "INSTALLER"), b"assay\n", False)
        record = os.path.join(self.info, "RECORD")
        with open(os.path.join(self.site, record), "w", encoding="utf-8", newline="") as file:
            file.write("".join(sorted(self.record)) + record + ",,\n")

    def place(self, name, content):
        data = re.match(r"[^/]+\.data/([^/]+)/(.+)", name)
        if not data:
            self.write(os.path.join(self.site, name), content, False)
            return
        scheme, rest = data.groups()
        if scheme == "scripts" and content.startswith(b"#!python"):
            content = b"#!" + sys.executable.encode() + content[content.index(b"\n"):]
        self.write(os.path.join(self.schemes[scheme], rest), content, scheme == "scripts")

    def write(self, path, content, executable):
        path = os.path.normpath(path)
        if not path.startswith(sys.prefix + os.sep):
            raise SystemExit("a wheel reaches outside of the environment: " + path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o755 if executable or content.startswith(b"\x7fELF") else 0o644)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
        self.record.append("%s,sha256=%s,%d\n" % (os.path.relpath(path, self.site).replace(os.sep, "/"), digest, len(content)))

    def entry_points(self):
        name = self.info + "/entry_points.txt"
        if name not in self.archive.namelist():
            return []
        parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
        parser.optionxform = str
        parser.read_string(self.archive.read(name).decode("utf-8"))
        return [(script, reference) for section in ("console_scripts", "gui_scripts") if parser.has_section(section) for script, reference in parser.items(section)]

    @staticmethod
    def script(reference):
        module, _, call = reference.split("[")[0].strip().partition(":")
        call = call.strip()
        return SCRIPT.format(python=sys.executable, module=module.strip(), first=call.split(".")[0], call=call).encode("utf-8")


def main(lock, directory):
    wheels = wheels_by_hash(directory)
    with open(lock, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip()]
    for pin, wanted in lines:
        digest = wanted.split(":")[-1]
        if digest not in wheels:
            raise SystemExit("no wheel has the hash of " + pin)
        Installer(wheels[digest]).install()


if __name__ == "__main__":
    main(*sys.argv[1:])
