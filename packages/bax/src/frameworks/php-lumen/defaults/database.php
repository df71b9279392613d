<?php

return [
    'default' => env('DB_CONNECTION', 'mysql'),
    'connections' => [
        'sqlite' => ['driver' => 'sqlite', 'database' => env('DB_DATABASE', database_path('database.sqlite')), 'prefix' => env('DB_PREFIX', '')],
        // The default of a new project; there is no server that it could reach.
        'mysql' => ['driver' => 'mysql', 'host' => '127.0.0.1', 'port' => 3306, 'database' => 'forge', 'username' => 'forge', 'password' => '', 'prefix' => ''],
    ],
    'migrations' => 'migrations',
];
