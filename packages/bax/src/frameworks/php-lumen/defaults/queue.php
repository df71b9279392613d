<?php

return [
    'default' => env('QUEUE_CONNECTION', 'sync'),
    'connections' => [
        'sync' => ['driver' => 'sync'],
        'database' => ['driver' => 'database', 'table' => env('QUEUE_TABLE', 'jobs'), 'queue' => 'default', 'retry_after' => 90],
    ],
    'failed' => ['driver' => env('QUEUE_FAILED_DRIVER', 'database-uuids'), 'database' => env('DB_CONNECTION', 'mysql'), 'table' => env('QUEUE_FAILED_TABLE', 'failed_jobs')],
];
