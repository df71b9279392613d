import type { FrameworkPrompt } from '../../framework.ts';
import { SEVERAL_FILES_FORMAT } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const phpLumenPrompt: FrameworkPrompt = {
  id: 'PHP-Lumen',
  language: 'PHP',
  name: 'Lumen',
  codeFile: null,
  manifest: manifest(import.meta.dirname, 'composer.json'),
  instructions: `
The Laravel Lumen project starts as \`composer create-project --prefer-dist laravel/lumen .\` leaves it; the app itself has to be written from nothing.

Files may be added, and these may be changed:
bootstrap/app.php
routes/web.php
routes/api.php
app/Http/Controllers/Controller.php
app/Models/User.php
app/Providers/AppServiceProvider.php
app/Providers/AuthServiceProvider.php
.env

${SEVERAL_FILES_FORMAT}

SQLite is the only storage: no MySQL, no Redis, nothing else. The .env file that you write must set DB_CONNECTION to sqlite and DB_DATABASE to /app/db.sqlite3.
The app must come up with \`php -S 0.0.0.0:5000 -t public\`.
`,
  startCommand: 'php -S 0.0.0.0:5000 -t public',
};
