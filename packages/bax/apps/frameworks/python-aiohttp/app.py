import ast
import operator
import sqlite3

from aiohttp import web

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


async def calculator(request):
    try:
        expression = (await request.json())["expression"]
        result = calculate(expression)
    except Exception:
        return web.json_response({"error": "invalid expression"}, status=400)
    with database() as connection:
        connection.execute("INSERT INTO calculations VALUES (?, ?)", (expression, result))
    return web.json_response({"result": result})


app = web.Application()
app.router.add_post("/calculator", calculator)

if __name__ == "__main__":
    web.run_app(app, host="0.0.0.0", port=5000)
