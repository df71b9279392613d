#!/usr/bin/env python3
"""Stands for pip in a box whose task allows packages: fetches pip as the index had it at T0, and becomes it."""

import json
import os
import re
import sys
import tempfile
import urllib.parse
import urllib.request

TYPES = 'application/vnd.pypi.simple.v1+json'


def main():
    index = os.environ.get('PIP_INDEX_URL')
    if not index:
        sys.exit('pip: there is no package index here')
    try:
        wheel = fetch(index)
    except OSError as error:
        sys.exit('pip: the index does not answer: %s' % error)
    os.environ.setdefault('PIP_DISABLE_PIP_VERSION_CHECK', '1')
    os.execv(sys.executable, [sys.executable, os.path.join(wheel, 'pip')] + sys.argv[1:])


def fetch(index):
    with urllib.request.urlopen(urllib.request.Request(index + 'pip/', headers={'Accept': TYPES})) as answer:
        listing = json.loads(answer.read().decode())
    found = []
    for each in listing['files']:
        match = re.match(r'^pip-(\d+(?:\.\d+)*)-(?:py2\.)?py3-none-any\.whl$', each['filename'])
        if match and not each.get('yanked') and allows(each.get('requires-python') or ''):
            found.append(([int(part) for part in match.group(1).split('.')], each))
    if not found:
        sys.exit('pip: at T0 the index had no pip for this Python')
    _, newest = max(found, key=lambda pair: pair[0])
    path = os.path.join(tempfile.gettempdir(), newest['filename'])
    if not os.path.exists(path):
        with urllib.request.urlopen(urllib.parse.urljoin(index + 'pip/', newest['url'])) as answer:
            content = answer.read()
        with open('%s.%d' % (path, os.getpid()), 'wb') as file:
            file.write(content)
        os.rename('%s.%d' % (path, os.getpid()), path)
    return path


def allows(wanted):
    """Whether this Python is one of `>=3.7,!=3.8.*`; what it does not understand, it lets through."""
    here = sys.version_info[:3]
    for operator, version, star in re.findall(r'(>=|<=|!=|==|~=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?', wanted):
        other = tuple(int(part) for part in version.split('.'))
        start = here[: len(other)]
        same = start == other
        holds = {
            '>=': here >= other,
            '<=': here <= other or same,
            '<': here < other and not same,
            '>': here > other and not same,
            '!=': not same,
            '==': same,
            '~=': here >= other and start[:-1] == other[:-1],
        }[operator]
        if not holds:
            return False
    return True


if __name__ == '__main__':
    main()
