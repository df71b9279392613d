"""Makes of a project's built wheel one that holds no code and only points at the source tree.

Called as: make_editable_wheel.py BUILT TREE PLACE OUT [NAME VERSION]
BUILT is the directory of the built wheel (without one, an empty project NAME VERSION is described), TREE the source tree as it was
before the build, PLACE where it will lie later, OUT the directory for the new wheel. Prints one JSON object: what was found. Runs inside
the build sandbox, on any Python from 3.6; the wheel is the same for the same input, byte for byte.

Modules that the build generates (a version file, a parser) or compiles are not in the tree. They go into the wheel, where a finder serves
them after everything else, so that a module of the tree always comes before its compiled form.
"""
import base64
import hashlib
import json
import os
import re
import sys
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)
MOST_GENERATED = 200
COMPILED = re.compile(r"(?:\.[\w-]+)*\.(?:so|pyd)$")
FINDER = """import sys
from importlib.util import spec_from_file_location
from os.path import dirname, join

MODULES = %r


class GeneratedModules:
    @staticmethod
    def find_spec(name, path=None, target=None):
        file = MODULES.get(name)
        return spec_from_file_location(name, join(dirname(__file__), file)) if file else None


sys.meta_path.append(GeneratedModules)
"""


def read_built(directory):
    """Name to content of the one wheel in a directory; empty when there is none."""
    wheels = sorted(name for name in os.listdir(directory) if name.endswith(".whl")) if os.path.isdir(directory) else []
    if not wheels:
        return {}
    with zipfile.ZipFile(os.path.join(directory, wheels[0])) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def importable(files):
    """Path below a directory of sys.path, for each file of a wheel that ends up there."""
    paths = []
    for name in files:
        data = re.match(r"[^/]+\.data/(?:purelib|platlib)/(.+)", name)
        if data:
            paths.append(data.group(1))
        elif not re.match(r"[^/]+\.(?:dist-info|data)/", name):
            paths.append(name)
    return paths


def find_roots(tree, paths):
    """Directories of the tree that must be on sys.path, and the modules that are not below them."""
    directories = [name for name in sorted(os.listdir(tree)) if os.path.isdir(os.path.join(tree, name)) and not name.startswith(".")]
    candidates = [".", "src", "lib", "python"] + [name for name in directories if name not in ("src", "lib", "python", "build", "dist")]
    by_top = {}
    for path in paths:
        by_top.setdefault(path.split("/")[0], []).append(path)
    roots, missing = [], []
    for top, members in sorted(by_top.items()):
        counts = [(sum(os.path.isfile(os.path.join(tree, root, path)) for path in members), -index) for index, root in enumerate(candidates)]
        count, index = max(counts)
        root = candidates[-index]
        if count and root not in roots:
            roots.append(root)
        present = [path for path in members if count and os.path.isfile(os.path.join(tree, root, path))]
        missing.extend(path for path in members if path not in present and (path.endswith(".py") or COMPILED.search(path)))
    return roots, missing


def strip_description(metadata):
    """The headers of a METADATA file without the long description, which changes more often than anything that matters."""
    kept, skipping = [], False
    for line in metadata.decode("utf-8", "replace").split("\n"):
        if not line.strip():
            break
        if not line.startswith((" ", "\t", "|")):
            skipping = line.lower().startswith(("description:", "description-content-type:", "license-file:"))
        if not skipping:
            kept.append(line.rstrip("\r"))
    return ("\n".join(kept) + "\n").encode("utf-8")


def header(metadata, name):
    prefix = name.lower() + ":"
    return [line[len(prefix):].strip() for line in metadata.decode("utf-8").split("\n") if line.lower().startswith(prefix)]


def write_wheel(path, files, info):
    record = "".join("%s,sha256=%s,%d\n" % (
        name, base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii"), len(content)) for name, content in sorted(files.items()))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()) + [(info + "/RECORD", (record + info + "/RECORD,,\n").encode("utf-8"))]:
            member = zipfile.ZipInfo(name, EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o755 if ".data/scripts/" in name else 0o644) << 16
            archive.writestr(member, content)


def contents(files):
    """Content by path below a directory of sys.path."""
    return {re.sub(r"^[^/]+\.data/(?:purelib|platlib)/", "", name): content for name, content in files.items()}


def add_generated(made, stem, files, missing):
    """Adds the generated modules to the wheel; answers with the lines of the .pth file that serve them."""
    by_path = contents(files)
    modules = {}
    for path in missing[:MOST_GENERATED]:
        compiled = COMPILED.search(path)
        if not compiled and (path.count("/") == 0 or path.endswith("/__init__.py")):
            continue
        place = "_%s_generated/%s" % (stem, path)
        made[place] = by_path[path]
        modules[(path[: compiled.start()] if compiled else path[:-3]).replace("/", ".")] = place
    if not modules:
        return ""
    made["_%s_finder.py" % stem] = (FINDER % (modules,)).encode("utf-8")
    return "import _%s_finder\n" % stem


def main(built, tree, place, out, name="workspace", version="0"):
    files = read_built(built)
    paths = importable(files)
    metadata = next((strip_description(content) for path, content in files.items() if re.match(r"[^/]+\.dist-info/METADATA$", path)), None)
    if metadata is None:
        metadata = ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)).encode("utf-8")
    name, version = header(metadata, "Name")[0], header(metadata, "Version")[0]
    roots, missing = find_roots(tree, paths) if files else ([root for root in ("src", ".") if os.path.isdir(os.path.join(tree, root))], [])
    stem = "%s-%s" % (re.sub(r"[-_.]+", "_", name).lower(), version.replace("-", "_"))
    info = stem + ".dist-info"
    made = {
        info + "/METADATA": metadata,
        info + "/WHEEL": b"Wheel-Version: 1.0\nGenerator: editable\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = "".join(os.path.normpath(os.path.join(place, root)) + "\n" for root in roots)
    module = stem.split("-")[0]
    made["_%s.pth" % module] = (lines + add_generated(made, module, files, missing)).encode("utf-8")
    for path, content in files.items():
        kept = re.match(r"[^/]+\.dist-info/(entry_points\.txt|top_level\.txt)$", path)
        data = re.match(r"[^/]+\.data/((?:scripts|data)/.+)", path)
        if kept:
            made[info + "/" + kept.group(1)] = content
        elif data:
            made[stem + ".data/" + data.group(1)] = content
    os.makedirs(out, exist_ok=True)
    wheel = stem + "-py3-none-any.whl"
    write_wheel(os.path.join(out, wheel), made, info)
    print(json.dumps({
        "name": name,
        "version": version,
        "wheel": wheel,
        "extras": header(metadata, "Provides-Extra"),
        "roots": roots,
        "missing": missing[:50],
        "compiled": [path for path in paths if COMPILED.search(path)][:10],
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
