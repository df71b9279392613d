import ast
import json
import operator

from django.http import JsonResponse

from .models import Calculation

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


def calculator(request):
    try:
        expression = json.loads(request.body)["expression"]
        result = calculate(expression)
    except Exception:
        return JsonResponse({"error": "invalid expression"}, status=400)
    Calculation.objects.create(expression=expression, result=result)
    return JsonResponse({"result": result})
