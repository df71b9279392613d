import type { Framework } from '../framework.ts';
import { goFiber } from './go-fiber/framework.ts';
import { goGin } from './go-gin/framework.ts';
import { goNetHttp } from './go-net-http/framework.ts';
import { javascriptExpress } from './javascript-express/framework.ts';
import { javascriptFastify } from './javascript-fastify/framework.ts';
import { javascriptKoa } from './javascript-koa/framework.ts';
import { javascriptNest } from './javascript-nest/framework.ts';
import { phpLumen } from './php-lumen/framework.ts';
import { pythonAiohttp } from './python-aiohttp/framework.ts';
import { pythonDjango } from './python-django/framework.ts';
import { pythonFastapi } from './python-fastapi/framework.ts';
import { pythonFlask } from './python-flask/framework.ts';
import { rubyRails } from './ruby-rails/framework.ts';
import { rustActix } from './rust-actix/framework.ts';

/** Every framework, in the order of their ids. */
export const FRAMEWORKS: readonly Framework[] = [
  goFiber,
  goGin,
  goNetHttp,
  javascriptExpress,
  javascriptFastify,
  javascriptKoa,
  javascriptNest,
  phpLumen,
  pythonDjango,
  pythonFastapi,
  pythonFlask,
  pythonAiohttp,
  rubyRails,
  rustActix,
];
