import type { Framework } from '../../framework.ts';
import { phpRecipe } from '../recipes/php/php-recipe.ts';
import { phpLumenPrompt } from './prompt.ts';

export const phpLumen: Framework = {
  ...phpLumenPrompt,
  ...phpRecipe(import.meta.dirname, {
    directories: [
      'database/factories',
      'database/migrations',
      'resources/views',
      'storage/app',
      'storage/framework/cache/data',
      'storage/framework/views',
      'storage/logs',
    ],
    entries: ['routes/web.php', 'bootstrap/app.php', 'public/index.php'],
    defaults: '/usr/share/php/Laravel/config',
    build: [
      { command: 'php artisan cache:clear', tolerant: true, timeoutSec: 60 },
      { command: 'php artisan migrate -n --force', tolerant: true, timeoutSec: 60 },
    ],
  }),
};
