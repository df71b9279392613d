"""A source text that is edited by offsets, so that lines stay where they are."""
import ast
import io
import tokenize


class Source(object):
    """Comments are blank from the start, unless they are to be kept: they may tell what a test expects."""

    def __init__(self, path, text, keep_comments=False):
        self.path = path
        self.text = text if keep_comments else without_comments(text)
        self.data = self.text.encode("utf-8")
        self.tree = ast.parse(self.text)
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node):
        """Offsets in bytes, as columns are counted in bytes of UTF-8."""
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def line_start(self, number):
        return self._starts[number - 1]

    def segment(self, node):
        start, end = self.span(node)
        return self.data[start:end].decode("utf-8")

    def edited(self, edits):
        """The text with `(start, end, text)` replaced. An edit within another one is dropped."""
        parts, at = [], 0
        for start, end, text in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
            if start < at:
                continue
            parts += [self.data[at:start], text.encode("utf-8")]
            at = end
        return b"".join(parts + [self.data[at:]]).decode("utf-8")

    def replacing(self, node, text):
        """An edit of a node that keeps its number of lines. `text` has to end in a bracket that is open for line breaks."""
        start, end = self.span(node)
        return start, end, padded(text, self.data.count(b"\n", start, end))


def padded(text, lines):
    missing = lines - text.count("\n")
    return text[:-1] + "\n" * missing + text[-1] if missing > 0 else text


def without_comments(text):
    lines = text.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
    except tokenize.TokenError as error:
        raise SyntaxError(str(error))
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            line = lines[row - 1]
            end = token.end[1]
            lines[row - 1] = line[:column].rstrip(" \t") + line[end:] if column else line[end:]
    return "\n".join(lines)
