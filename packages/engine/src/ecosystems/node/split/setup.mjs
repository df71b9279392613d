import { UnreadableError } from './render-expression.mjs';
import { originOf } from './read-registration.mjs';
import { bare, isCall, isMember, walk } from './syntax.mjs';
import { bindingsIn, changesOf, declaredIn, isWithin, kindOf } from './uses.mjs';

const MAX_STATEMENTS = 5;

/**
 * What has to happen before `subject` can be asked: `{kept, statements}`, the variables that keep their names, and
 * statements of the test, and declarations outside of it, that make and change them, in their order. The last
 * declaration is left out, to be part of what is asked, where nothing but that needs it. Throws `UnreadableError`.
 */
export function setupOf(subject, place) {
  const { block, end } = blockOf(place);
  const setup = new Setup({ ...place, block, end });
  for (const binding of bindingsIn(subject)) setup.need(binding);
  const { kept } = setup;
  const statements = [...setup.statements].sort(
    (one, other) => Number(isWithin(one, block)) - Number(isWithin(other, block)) || one.start - other.start,
  );
  const asked = [subject];
  for (let last = statements.at(-1); last; last = statements.at(-1)) {
    const only = onlyUsedIn(asked, last, kept);
    if (only === null) break;
    asked.push(only.init);
    kept.delete(only);
    statements.pop();
  }
  if (statements.length === 0 || statements.length > MAX_STATEMENTS) throw new UnreadableError();
  const names = [...kept].map(({ name }) => name);
  if (new Set(names).size < names.length) throw new UnreadableError();
  return { kept, statements };
}

/** The block of a test in which a site stands, and where what comes before it ends. */
function blockOf({ site, test }) {
  const block = test.body?.body;
  let at = site.node;
  while (at && at.parent !== block) {
    if (at.type === 'BlockStatement' || /^(If|For|While|Do|Try|Switch|Labeled)/.test(at.type)) at = null;
    else at = at.parent;
  }
  if (!at || block?.type !== 'BlockStatement') throw new UnreadableError();
  return { block, end: at.start };
}

class Setup {
  kept = new Set();
  statements = new Set();
  #seen = new Set();
  #place;

  constructor(place) {
    this.#place = place;
  }

  /** Sees to it that a variable is what it is for the test. */
  need(binding) {
    if (this.#seen.has(binding)) return;
    this.#seen.add(binding);
    const { id, kind, declarator, writes, isPlain } = binding;
    if (!id || !declarator || !/^(const|let|var)$/.test(kind) || originOf(binding) !== null) return;
    if (this.#place.isColumn(binding)) return;
    const { inside, elsewhere } = changesOf(binding, this.#place);
    if (elsewhere.length > 0 || writes > 0 || !declarator.init) throw new UnreadableError();
    const isKept = inside.length > 0 || !isPlain || kindOf(declarator.init) === 'object';
    if (isKept) this.#keep(binding);
    else for (const inner of bindingsIn(declarator.init)) this.need(inner);
    for (const reference of inside) this.#include(this.#statementOf(reference));
  }

  #keep(binding) {
    const { declarator } = binding;
    const declaration = declarator.parent;
    const isLocal = isWithin(declarator, this.#place.test.body);
    if (isLocal && (declaration.parent !== this.#place.block || declaration.start >= this.#place.end))
      throw new UnreadableError();
    this.kept.add(binding);
    this.#include(declaration);
  }

  #statementOf(reference) {
    let at = reference;
    while (at.parent !== this.#place.block) at = at.parent;
    return at;
  }

  #include(statement) {
    if (this.statements.has(statement)) return;
    if (!isStraight(statement)) throw new UnreadableError();
    this.statements.add(statement);
    for (const binding of declaredIn(statement)) {
      this.#seen.add(binding);
      if (this.kept.has(binding)) continue;
      this.kept.add(binding);
      const { inside, elsewhere } = changesOf(binding, this.#place);
      if (elsewhere.length > 0 || binding.writes > 0) throw new UnreadableError();
      for (const reference of inside) this.#include(this.#statementOf(reference));
    }
    for (const binding of bindingsIn(statement)) this.need(binding);
  }
}

/** A declaration of one variable or pattern, a call, or a value that is put somewhere. */
function isStraight(statement) {
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.length === 1 && Boolean(statement.declarations[0].init);
  if (statement.type !== 'ExpressionStatement') return false;
  const { expression } = statement;
  const done = bare(expression.type === 'AwaitExpression' ? expression.argument : expression);
  if (done.type === 'AssignmentExpression') return isMember(done.left);
  return isCall(done) || done.type === 'NewExpression';
}

/** The one variable that a statement declares, where what is asked mentions it once. */
function onlyUsedIn(asked, statement, kept) {
  const [declarator] = statement.declarations ?? [];
  const binding = declarator?.id.declares;
  if (!binding || !kept.has(binding)) return null;
  let count = 0;
  for (const node of asked)
    walk(node, (each) => {
      if (each.binding === binding) count += 1;
      return true;
    });
  return count === 1 ? binding : null;
}
