<?php

require_once __DIR__ . '/../vendor/autoload.php';

$root = dirname(__DIR__);
(new Laravel\Lumen\Bootstrap\LoadEnvironmentVariables($root))->bootstrap();
date_default_timezone_set(env('APP_TIMEZONE', 'UTC'));

$app = new Laravel\Lumen\Application($root);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, App\Exceptions\Handler::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, App\Console\Kernel::class);
$app->configure('app');

$app->router->group(['namespace' => 'App\Http\Controllers'], static function ($router): void {
    require __DIR__ . '/../routes/web.php';
});

return $app;
