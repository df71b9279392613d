<?php

namespace App\Exceptions;

use Illuminate\Auth\Access\AuthorizationException;
use Illuminate\Database\Eloquent\ModelNotFoundException;
use Illuminate\Validation\ValidationException;
use Laravel\Lumen\Exceptions\Handler as LumenHandler;
use Symfony\Component\HttpKernel\Exception\HttpException;

class Handler extends LumenHandler
{
    protected $dontReport = [AuthorizationException::class, HttpException::class, ModelNotFoundException::class, ValidationException::class];
}
