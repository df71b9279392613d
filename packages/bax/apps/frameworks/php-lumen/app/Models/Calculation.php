<?php

namespace App\Models;

use Illuminate\Database\Eloquent\Model;

class Calculation extends Model
{
    public $timestamps = false;

    protected $fillable = ['expression', 'result'];
}
