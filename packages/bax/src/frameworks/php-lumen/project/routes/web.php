<?php

$router->get('/', static fn () => $router->app->version());
