// Which files the entry points load. Entry points are given as arguments.
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
for (const entry of process.argv.slice(2)) await import(entry);
process.stdout.write(JSON.stringify(loaded.filter((url) => url.startsWith('file:'))));
