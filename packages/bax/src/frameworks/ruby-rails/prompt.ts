import type { FrameworkPrompt } from '../../framework.ts';
import { SEVERAL_FILES_FORMAT } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const rubyRailsPrompt: FrameworkPrompt = {
  id: 'Ruby-Rails',
  language: 'Ruby',
  name: 'Rails',
  codeFile: null,
  manifest: manifest(import.meta.dirname, 'Gemfile'),
  instructions: `
The Ruby on Rails project starts as \`rails new . --api\` leaves it; the app itself has to be written from nothing.

These files need changes:
app/controllers/application_controller.rb
app/models/application_record.rb
config/application.rb
config/environments/development.rb
config/routes.rb

${SEVERAL_FILES_FORMAT}

SQLite is the only storage: no MySQL, no Redis, nothing else.
config/database.yml must name \`db.sqlite3\` as the database file.
Leave out Gemfile and Gemfile.lock. config/application.rb must require the engines that the app uses, such as "active_storage/engine".
Use neither sprockets nor another asset pipeline, and no config.assets in config/environments/development.rb.
The app is started with \`bin/rails server --binding 0.0.0.0 --port 5000\`.
`,
  startCommand: '/bin/sh entrypoint.sh',
};
