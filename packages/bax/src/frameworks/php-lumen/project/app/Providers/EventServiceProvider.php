<?php

namespace App\Providers;

use Laravel\Lumen\Providers\EventServiceProvider as LumenEventServiceProvider;

class EventServiceProvider extends LumenEventServiceProvider
{
    public function shouldDiscoverEvents()
    {
        return false;
    }
}
