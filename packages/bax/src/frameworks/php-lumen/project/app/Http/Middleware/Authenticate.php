<?php

namespace App\Http\Middleware;

use Closure;
use Illuminate\Contracts\Auth\Factory;

class Authenticate
{
    protected $auth;

    public function __construct(Factory $auth)
    {
        $this->auth = $auth;
    }

    public function handle($request, Closure $next, $guard = null)
    {
        return $this->auth->guard($guard)->guest() ? response('Unauthorized.', 401) : $next($request);
    }
}
