<?php

namespace App\Providers;

use App\Models\User;
use Illuminate\Support\ServiceProvider;

class AuthServiceProvider extends ServiceProvider
{
    public function register()
    {
    }

    public function boot()
    {
        $this->app['auth']->viaRequest('api', static function ($request) {
            $token = $request->input('api_token');

            return $token ? User::where('api_token', $token)->first() : null;
        });
    }
}
