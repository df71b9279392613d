import type { FrameworkPrompt } from '../framework.ts';
import { goFiberPrompt } from './go-fiber/prompt.ts';
import { goGinPrompt } from './go-gin/prompt.ts';
import { goNetHttpPrompt } from './go-net-http/prompt.ts';
import { javascriptExpressPrompt } from './javascript-express/prompt.ts';
import { javascriptFastifyPrompt } from './javascript-fastify/prompt.ts';
import { javascriptKoaPrompt } from './javascript-koa/prompt.ts';
import { javascriptNestPrompt } from './javascript-nest/prompt.ts';
import { phpLumenPrompt } from './php-lumen/prompt.ts';
import { pythonAiohttpPrompt } from './python-aiohttp/prompt.ts';
import { pythonDjangoPrompt } from './python-django/prompt.ts';
import { pythonFastapiPrompt } from './python-fastapi/prompt.ts';
import { pythonFlaskPrompt } from './python-flask/prompt.ts';
import { rubyRailsPrompt } from './ruby-rails/prompt.ts';
import { rustActixPrompt } from './rust-actix/prompt.ts';

/** The prompts of all frameworks, in the order of their ids. */
export const FRAMEWORK_PROMPTS: readonly FrameworkPrompt[] = [
  goFiberPrompt,
  goGinPrompt,
  goNetHttpPrompt,
  javascriptExpressPrompt,
  javascriptFastifyPrompt,
  javascriptKoaPrompt,
  javascriptNestPrompt,
  phpLumenPrompt,
  pythonDjangoPrompt,
  pythonFastapiPrompt,
  pythonFlaskPrompt,
  pythonAiohttpPrompt,
  rubyRailsPrompt,
  rustActixPrompt,
];
