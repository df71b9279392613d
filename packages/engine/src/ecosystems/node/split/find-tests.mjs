import { readRegistration } from './read-registration.mjs';
import { readLoop, tableOfLoops } from './read-loop.mjs';
import { readTable } from './read-table.mjs';
import { titlePattern } from './title-pattern.mjs';
import { childrenOf, isFunction } from './syntax.mjs';

export const LOOPS = /^(For(In|Of)?Statement|(Do)?WhileStatement)$/;

/**
 * Finds the tests of a file, in the order of the text. A test: `{number, call, statement, body, levels, blocked,
 * children, parent}`; its levels are the suites around it and itself, each `{number, title, pattern, table, call}`.
 */
export function findTests(source, runner) {
  const state = { runner, contexts: new Set(), tests: [], registrations: [], count: 0, path: source.path };
  visit(source.program, state, { levels: [], loops: [], blocked: null, parent: null });
  return { tests: state.tests, registrations: state.registrations };
}

function visit(node, state, place) {
  for (const child of childrenOf(node)) visitNode(child, state, place);
}

function visitNode(node, state, place) {
  const registration = readRegistration(node, state);
  if (registration !== null) return register(registration, state, place);
  const loop = readLoop(node);
  if (loop !== null) return visit(node, state, { ...place, loops: [...place.loops, loop] });
  if (isFunction(node) || /Method$/.test(node.type)) {
    const isInTest = place.parent !== null && place.parent.body === node;
    const blocked = isInTest || isInvoked(node) ? place.blocked : (place.blocked ?? 'it is made by a function');
    return visit(node, state, { ...place, blocked });
  }
  return visit(node, state, place);
}

const isInvoked = (node) => node.parent.callee === node;

function register(registration, state, place) {
  const { role, body, call } = registration;
  const number = state.count;
  state.count += 1;
  const isInLoop = place.loops.length > 0;
  const ofEach = registration.table === null ? null : readTable(registration.table, registration);
  const table = isInLoop ? tableOfLoops(place.loops) : ofEach;
  const pattern = titlePattern(registration.title, ofEach !== null);
  const level = { ...registration, number, table, pattern };
  const levels = [...place.levels, level];
  const both = isInLoop && ofEach !== null ? 'its table is in a loop' : null;
  const blocked = place.blocked ?? both ?? reasonAgainst(registration, table);
  const statement = statementOf(call);
  state.registrations.push({ ...level, statement });
  if (role === 'suite') {
    if (body) visit(body, state, { levels, loops: [], blocked, parent: null });
    return;
  }
  const test = { number, call, statement, body, levels, blocked, parent: place.parent, children: [], path: state.path };
  place.parent?.children.push(test);
  state.tests.push(test);
  if (!body) return;
  const [context] = body.params;
  const names = context?.type === 'Identifier' ? [...body.scope.names.values()] : [];
  for (const binding of names) if (binding.id === context) state.contexts.add(binding);
  visit(body, state, { levels, loops: [], blocked, parent: test });
}

function reasonAgainst({ modifiers, isPlainBody, role }, table) {
  if (modifiers.some(({ name }) => name === 'fails' || name === 'failing')) return 'it is expected to fail';
  if (table !== null && table.rows === null) return 'its table is made elsewhere';
  if (!isPlainBody) return role === 'test' ? 'its body is made elsewhere' : 'its suite is made elsewhere';
  return null;
}

/** The statement that is nothing but a call, awaited or returned or not; null when it is part of something else. */
function statementOf(call) {
  let node = call;
  while (/^(AwaitExpression|UnaryExpression)$/.test(node.parent.type)) node = node.parent;
  return node.parent.type === 'ExpressionStatement' ? node.parent : null;
}
