<?php

namespace App\Models;

use Illuminate\Auth\Authenticatable as AuthenticatableParts;
use Illuminate\Contracts\Auth\Access\Authorizable;
use Illuminate\Contracts\Auth\Authenticatable;
use Illuminate\Database\Eloquent\Factories\HasFactory;
use Illuminate\Database\Eloquent\Model;
use Laravel\Lumen\Auth\Authorizable as AuthorizableParts;

class User extends Model implements Authenticatable, Authorizable
{
    use AuthenticatableParts, AuthorizableParts, HasFactory;

    protected $fillable = ['name', 'email'];

    protected $hidden = ['password'];
}
