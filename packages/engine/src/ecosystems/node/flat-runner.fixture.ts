/**
 * Text that gives a runner without suites what the scenarios write: `test`, `describe`, `beforeEach` and `afterEach`.
 * `register` and `skip` are functions of a title and a body in that language.
 */
export const flatHead = (register: string, skip: string): string => `
let scope = { names: [], before: [], after: [] };
const describe = (name, body) => {
  const outer = scope;
  scope = { names: [...outer.names, name], before: [...outer.before], after: [...outer.after] };
  body();
  scope = outer;
};
const beforeEach = (hook) => scope.before.push(hook);
const afterEach = (hook) => scope.after.push(hook);
const test = (title, body) => {
  const { names, before, after } = scope;
  (${register})([...names, title].join(' > '), async (t) => {
    for (const hook of before) await hook();
    await body(t);
    for (const hook of after) await hook();
  });
};
test.skip = (title, body) => (${skip})([...scope.names, title].join(' > '), body);
`;
