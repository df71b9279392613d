import ast
import operator
import sqlite3

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

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


class Request(BaseModel):
    expression: str


@app.post("/calculator")
def calculator(request: Request):
    try:
        result = calculate(request.expression)
    except Exception:
        return JSONResponse({"error": "invalid expression"}, status_code=400)
    with database() as connection:
        connection.execute("INSERT INTO calculations VALUES (?, ?)", (request.expression, result))
    return {"result": result}


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=5000)
