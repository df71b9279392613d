import ast
import operator

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg}
LONGEST = 200


class Request(BaseModel):
    expression: str


def calculate(expression):
    if len(expression) > LONGEST:
        raise ValueError("too long")
    return value_of(ast.parse(expression.strip(), mode="eval").body)


def value_of(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return BINARY[type(node.op)](value_of(node.left), value_of(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in UNARY:
        return UNARY[type(node.op)](value_of(node.operand))
    raise ValueError("not arithmetic")


@app.post("/calculator")
def calculator(request: Request):
    try:
        return {"result": str(calculate(request.expression))}
    except Exception:
        return JSONResponse({"error": "invalid expression"}, status_code=400)


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=5000)
