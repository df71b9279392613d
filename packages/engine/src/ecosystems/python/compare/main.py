"""Reads Python sources and writes what the parser makes of each: its tokens, without comments, docstrings and layout.

Standard input: {"sources": [{"path": ..., "text": ...}]}. Standard output: for each source a list of strings, or null
when it does not parse. What it reads is foreign; it runs in a sandbox.
"""

import ast
import io
import json
import sys
import tokenize

LAYOUT = {tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}
OPENING, CLOSING = "([{", ")]}"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstring_lines(tree):
    """The places (line, column) where docstrings begin."""
    starts = set()
    for node in ast.walk(tree):
        body = node.body if isinstance(node, DOCUMENTED) else []
        if body and isinstance(body[0], ast.Expr) and ast.get_docstring(node, clean=False) is not None:
            starts.add(body[0].lineno)
    return starts


def normal_string(text):
    """A string literal whatever its quotes; one with placeholders as it stands."""
    try:
        return repr(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def token_texts(text):
    """Yields the tokens, a docstring and the end of its line left out."""
    documented = docstring_lines(ast.parse(text))
    statement_starts = True
    skips_newline = False
    for kind, string, start, _, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        if kind in LAYOUT:
            continue
        if kind == tokenize.NEWLINE:
            if not skips_newline:
                yield "\n"
            statement_starts, skips_newline = True, False
        elif kind == tokenize.INDENT:
            yield "\t"
        elif kind == tokenize.DEDENT:
            yield "\b"
        elif kind == tokenize.STRING and statement_starts and is_documentation(start, documented):
            skips_newline = True
        elif not (skips_newline and kind == tokenize.STRING):
            statement_starts = False
            yield normal_string(string) if kind == tokenize.STRING else string


def is_documentation(start, documented):
    # Before 3.8 the line of a string of several lines is that of its end.
    return start[0] in documented or (sys.version_info < (3, 8) and bool(documented))


def without_last_commas(tokens):
    """Leaves out the comma before a closing bracket where it says nothing: not that of a tuple of one element."""
    kept, commas = [], []
    for token in tokens:
        if token in CLOSING and len(token) == 1 and commas:
            if kept[-1] == "," and commas[-1] > 1:
                kept.pop()
            commas.pop()
        kept.append(token)
        if token in OPENING and len(token) == 1:
            commas.append(0)
        elif token == "," and commas:
            commas[-1] += 1
    return kept


def tokens_of(text):
    try:
        return without_last_commas(token_texts(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError, IndexError):
        return None


def main():
    given = json.load(sys.stdin)
    json.dump([tokens_of(source["text"]) for source in given["sources"]], sys.stdout)


main()
