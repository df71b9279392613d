import { readChaiAssert } from './forms/chai.mjs';
import { readExpect } from './forms/expect.mjs';
import { readNodeAssert } from './forms/node-assert.mjs';
import { readSupertest } from './forms/supertest.mjs';
import { helperSites } from './forms/helpers.mjs';
import { isFunction, walk } from './syntax.mjs';

const READERS = [readExpect, readNodeAssert, readChaiAssert, readSupertest];

/**
 * Finds the assertions of a file's tests, in the order of the text. A site: `{node, form, test, native?}` and, unless it
 * has to stay inside, what `strip-site.mjs` needs: `operands` (expressions, of which as much as possible stays outside)
 * and `plan` (how they are compared).
 */
export function findSites(source, tests, runner) {
  const bodies = new Map(tests.filter(({ body }) => body).map((test) => [test.body, test]));
  const sites = [];
  const context = { runner, source };
  walk(source.program, (node) => {
    const test = ownerOf(node, bodies);
    for (const read of READERS) {
      const found = read(node, context);
      if (!found) continue;
      if (test) sites.push({ ...found, test });
      return true;
    }
    return true;
  });
  for (const site of helperSites(source, sites, bodies)) sites.push({ ...site, test: ownerOf(site.node, bodies) });
  return sites.sort((one, other) => one.node.start - other.node.start || other.node.end - one.node.end);
}

/** The innermost test whose body a node is in. */
function ownerOf(node, bodies) {
  for (let at = node.parent; at; at = at.parent) if (isFunction(at) && bodies.has(at)) return bodies.get(at);
  return null;
}
