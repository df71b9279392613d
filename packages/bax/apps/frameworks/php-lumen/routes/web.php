<?php

$router->post('/calculator', 'CalculatorController@calculate');
