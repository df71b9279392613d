<?php

namespace App\Console;

use Laravel\Lumen\Console\Kernel as LumenKernel;

class Kernel extends LumenKernel
{
}
