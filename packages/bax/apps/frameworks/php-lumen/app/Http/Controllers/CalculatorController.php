<?php

namespace App\Http\Controllers;

use App\Arithmetic;
use App\Models\Calculation;
use DivisionByZeroError;
use Illuminate\Http\Request;
use InvalidArgumentException;

class CalculatorController extends Controller
{
    public function calculate(Request $request, Arithmetic $arithmetic)
    {
        $expression = $request->input('expression');
        try {
            $result = $arithmetic->valueOf($expression);
        } catch (InvalidArgumentException | DivisionByZeroError) {
            return response()->json(['error' => 'invalid expression'], 400);
        }
        Calculation::create(['expression' => $expression, 'result' => $result]);

        return response()->json(['result' => $result]);
    }
}
