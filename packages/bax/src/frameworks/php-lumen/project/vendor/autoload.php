<?php

require_once '/usr/share/php/Laravel/Lumen/autoload.php';

spl_autoload_register(static function (string $class): void {
    $directories = ['App\\' => 'app/', 'Database\\Factories\\' => 'database/factories/', 'Database\\Seeders\\' => 'database/seeders/'];
    foreach ($directories as $prefix => $directory) {
        if (!str_starts_with($class, $prefix)) {
            continue;
        }
        $file = dirname(__DIR__) . '/' . $directory . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (is_file($file)) {
            require_once $file;
        }
    }
});
