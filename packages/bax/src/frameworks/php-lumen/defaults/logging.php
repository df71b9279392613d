<?php

return [
    'default' => env('LOG_CHANNEL', 'stack'),
    'deprecations' => env('LOG_DEPRECATIONS_CHANNEL', 'null'),
    'channels' => [
        'stack' => ['driver' => 'stack', 'channels' => ['daily']],
        'single' => ['driver' => 'single', 'path' => storage_path('logs/lumen.log'), 'level' => 'debug'],
        'daily' => ['driver' => 'daily', 'path' => storage_path('logs/lumen.log'), 'level' => 'debug', 'days' => 14],
        'stderr' => ['driver' => 'monolog', 'handler' => Monolog\Handler\StreamHandler::class, 'with' => ['stream' => 'php://stderr']],
        'syslog' => ['driver' => 'syslog', 'level' => 'debug'],
        'errorlog' => ['driver' => 'errorlog', 'level' => 'debug'],
        'null' => ['driver' => 'monolog', 'handler' => Monolog\Handler\NullHandler::class],
    ],
];
