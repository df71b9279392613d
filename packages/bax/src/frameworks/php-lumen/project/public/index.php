<?php

(require __DIR__ . '/../bootstrap/app.php')->run();
