<?php

namespace App;

use InvalidArgumentException;

/** Sums and products of numbers, with signs and parentheses. */
class Arithmetic
{
    private const LONGEST = 200;

    private array $tokens;

    public function valueOf(mixed $expression): string
    {
        if (!is_string($expression) || strlen($expression) > self::LONGEST) {
            throw new InvalidArgumentException('not arithmetic');
        }
        preg_match_all('~\d+(?:\.\d+)?|\S~', $expression, $found);
        $this->tokens = $found[0];
        $value = $this->sum();
        if ($this->tokens !== []) {
            throw new InvalidArgumentException('something is left over');
        }

        return (string) $value;
    }

    private function sum(): int|float
    {
        $value = $this->product();
        while (in_array($this->tokens[0] ?? null, ['+', '-'], true)) {
            $value = array_shift($this->tokens) === '+' ? $value + $this->product() : $value - $this->product();
        }

        return $value;
    }

    private function product(): int|float
    {
        $value = $this->factor();
        while (in_array($this->tokens[0] ?? null, ['*', '/'], true)) {
            $value = array_shift($this->tokens) === '*' ? $value * $this->factor() : $value / $this->factor();
        }

        return $value;
    }

    private function factor(): int|float
    {
        $token = array_shift($this->tokens);
        if ($token === '-' || $token === '+') {
            return $token === '-' ? -$this->factor() : $this->factor();
        }
        if ($token === '(') {
            $value = $this->sum();
            if (array_shift($this->tokens) !== ')') {
                throw new InvalidArgumentException('a parenthesis is open');
            }

            return $value;
        }
        if (!is_numeric($token)) {
            throw new InvalidArgumentException('a number is missing');
        }

        return $token + 0;
    }
}
