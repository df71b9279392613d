import type { Framework } from '../framework.ts';
import { pythonAiohttp } from './python-aiohttp/framework.ts';
import { pythonDjango } from './python-django/framework.ts';
import { pythonFastapi } from './python-fastapi/framework.ts';
import { pythonFlask } from './python-flask/framework.ts';

/** Every framework, in the order of their ids. */
export const FRAMEWORKS: readonly Framework[] = [pythonDjango, pythonFastapi, pythonFlask, pythonAiohttp];
