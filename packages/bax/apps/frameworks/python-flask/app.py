import ast
import operator
import sqlite3

from flask import Flask, jsonify, request

app = Flask(__name__)

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def value_of(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return BINARY[type(node.op)](value_of(node.left), value_of(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in UNARY:
        return UNARY[type(node.op)](value_of(node.operand))
    raise ValueError("not arithmetic")


def calculate(expression):
    if len(expression) > 200:
        raise ValueError("too long")
    return str(value_of(ast.parse(expression.strip(), mode="eval").body))


def database():
    connection = sqlite3.connect("db.sqlite3")
    connection.execute("CREATE TABLE IF NOT EXISTS calculations (expression TEXT, result TEXT)")
    return connection


@app.post("/calculator")
def calculator():
    try:
        expression = request.get_json()["expression"]
        result = calculate(expression)
    except Exception:
        return jsonify(error="invalid expression"), 400
    with database() as connection:
        connection.execute("INSERT INTO calculations VALUES (?, ?)", (expression, result))
    return jsonify(result=result)


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=5000)
