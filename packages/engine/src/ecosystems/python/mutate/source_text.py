"""A source with its syntax tree, and positions of nodes as offsets."""

import ast
import bisect
import re


class Source:
    def __init__(self, text):
        self.text = text
        self.tree = ast.parse(text)
        self.starts = [0] + [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
        self.is_ascii = text.isascii()
        astral = [index for index, character in enumerate(text) if ord(character) > 0xFFFF]
        self.astral = astral

    def span(self, node):
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def offset(self, line, column):
        """`column` counts bytes of UTF-8."""
        start = self.starts[line - 1]
        if self.is_ascii:
            return start + column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return start + len(self.text[start:end].encode("utf-8")[:column].decode("utf-8", "ignore"))

    def line_of(self, offset):
        return bisect.bisect_right(self.starts, offset)

    def to_utf16(self, offset):
        return offset + bisect.bisect_left(self.astral, offset)

    def from_utf16(self, offset):
        for position, index in enumerate(self.astral):
            if index + position >= offset:
                return offset - position
        return offset - len(self.astral)


def apply(text, edits):
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def compiles(text):
    try:
        compile(text, "mutant", "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def shape(text):
    """What a source does: no comments, layout, documentation or types of functions. None if it does not parse."""
    if not compiles(text):
        return None
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                body[:] = body[1:] or [ast.Pass()]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)
