<?php

namespace App\Http\Controllers;

use Laravel\Lumen\Routing\Controller as LumenController;

class Controller extends LumenController
{
}
