import type { FrameworkPrompt } from '../../framework.ts';
import { SEVERAL_FILES_FORMAT } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const pythonDjangoPrompt: FrameworkPrompt = {
  id: 'Python-Django',
  language: 'Python',
  name: 'Django',
  codeFile: null,
  manifest: manifest(import.meta.dirname, 'requirements.txt'),
  instructions: `
The project has to be made from nothing. Its layout is that of \`django-admin startproject mysite\` followed, inside \`mysite\`, by \`django-admin startapp myapp\`.

These files are needed:
mysite/asgi.py
mysite/wsgi.py
mysite/settings.py
mysite/urls.py
mysite/__init__.py
manage.py
myapp/tests.py
myapp/admin.py
myapp/apps.py
myapp/models.py
myapp/views.py
myapp/urls.py
myapp/__init__.py
myapp/migrations/__init__.py

${SEVERAL_FILES_FORMAT}

Where one path takes both GET and POST, write one handler for the two.
No path may end in a slash.
ALLOWED_HOSTS must be ["0.0.0.0", "localhost", "127.0.0.1"].
The app must come up with \`python manage.py runserver\`.
`,
  startCommand: 'python3 manage.py runserver 0.0.0.0:5000',
};
