<?php

namespace App\Providers;

use App\Arithmetic;
use Illuminate\Support\ServiceProvider;

class AppServiceProvider extends ServiceProvider
{
    public function register()
    {
        $this->app->bind(Arithmetic::class);
    }
}
