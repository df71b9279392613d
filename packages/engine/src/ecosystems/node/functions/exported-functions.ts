import { listOf, memberOf, type SyntaxNode } from '../mutate/parse-source.ts';

/** A function that a module offers to others. */
export interface ExportedFunction {
  name: string;
  node: SyntaxNode;
  /** The statement at the top level that it stands in. */
  statement: SyntaxNode;
  /** `member`: a property of what the module exports by default. */
  kind: 'named' | 'default' | 'member';
  /** By `export`, and not by `module.exports`. */
  isModule: boolean;
}

type Defined = Pick<ExportedFunction, 'node' | 'statement'>;
type Offer = Pick<ExportedFunction, 'kind' | 'isModule'>;

/** Lists what a program exports that is a function, by `export` or by `module.exports`. */
export function exportedFunctions(program: SyntaxNode): ExportedFunction[] {
  const statements = listOf(program, 'body');
  const locals = new Map(statements.flatMap(definedBy));
  const found: ExportedFunction[] = [];
  const offer = (
    name: string,
    value: SyntaxNode | null,
    { statement, ...how }: Offer & { statement: SyntaxNode },
  ): void => {
    const local = value?.type === 'Identifier' ? locals.get(nameOf(value)) : undefined;
    const own = value && isFunction(value) ? { node: value, statement } : local;
    if (own && name !== '') found.push({ name, ...own, ...how });
  };
  for (const statement of statements) {
    const declaration = memberOf(statement, 'declaration');
    if (statement.type === 'ExportNamedDeclaration' && !memberOf(statement, 'source')) {
      for (const [name] of declaration ? definedBy(statement) : [])
        offer(name, { ...statement, type: 'Identifier', name }, { kind: 'named', isModule: true, statement });
      for (const each of listOf(statement, 'specifiers')) {
        const exported = nameOf(memberOf(each, 'exported'));
        const local = memberOf(each, 'local');
        const kind = exported === 'default' ? 'default' : 'named';
        offer(kind === 'default' ? nameOf(local) : exported, local, { kind, isModule: true, statement });
      }
    }
    if (statement.type === 'ExportDefaultDeclaration' && declaration)
      offer(nameOf(memberOf(declaration, 'id') ?? declaration), declaration, {
        kind: 'default',
        isModule: true,
        statement,
      });
    offerAssigned(statement, offer);
  }
  return [...found, ...membersOf(statements, found)];
}

/** What `exports.x = …` and `module.exports = …` offer. */
function offerAssigned(
  statement: SyntaxNode,
  offer: (name: string, value: SyntaxNode | null, how: Offer & { statement: SyntaxNode }) => void,
): void {
  const assigned = assignmentOf(statement);
  if (!assigned) return;
  const { object, property, value } = assigned;
  if (object === 'exports' || object === 'module.exports')
    offer(property, value, { kind: 'named', isModule: false, statement });
  if (object !== 'module' || property !== 'exports') return;
  if (value.type !== 'ObjectExpression')
    return offer(nameOf(memberOf(value, 'id') ?? value), value, { kind: 'default', isModule: false, statement });
  for (const each of listOf(value, 'properties'))
    if (each.type === 'ObjectProperty')
      offer(nameOf(memberOf(each, 'key')), memberOf(each, 'value'), { kind: 'named', isModule: false, statement });
}

/** What is assigned to properties of a name that is exported by default. */
function membersOf(statements: readonly SyntaxNode[], found: readonly ExportedFunction[]): ExportedFunction[] {
  const main = found.find(({ kind }) => kind === 'default');
  if (!main) return [];
  return statements.flatMap((statement) => {
    const assigned = assignmentOf(statement);
    if (assigned?.object !== main.name || !isFunction(assigned.value)) return [];
    return [
      { name: assigned.property, node: assigned.value, statement, kind: 'member' as const, isModule: main.isModule },
    ];
  });
}

function assignmentOf(statement: SyntaxNode): { object: string; property: string; value: SyntaxNode } | null {
  const expression = statement.type === 'ExpressionStatement' ? memberOf(statement, 'expression') : null;
  const left = expression?.type === 'AssignmentExpression' ? memberOf(expression, 'left') : null;
  const value = expression ? memberOf(expression, 'right') : null;
  if (left?.type !== 'MemberExpression' || left['computed'] === true || !value) return null;
  const object = memberOf(left, 'object');
  const inner =
    object?.type === 'MemberExpression' ? [memberOf(object, 'object'), memberOf(object, 'property')] : [object];
  return { object: inner.map(nameOf).join('.'), property: nameOf(memberOf(left, 'property')), value };
}

/** Names that a statement gives to functions. */
function definedBy(statement: SyntaxNode): [string, Defined][] {
  const declared = /^Export(?:Named|Default)Declaration$/.test(statement.type)
    ? memberOf(statement, 'declaration')
    : statement;
  if (declared?.type === 'FunctionDeclaration')
    return [[nameOf(memberOf(declared, 'id')), { node: declared, statement }]];
  if (declared?.type !== 'VariableDeclaration') return [];
  return listOf(declared, 'declarations').flatMap((each): [string, Defined][] => {
    const init = memberOf(each, 'init');
    return init && isFunction(init) ? [[nameOf(memberOf(each, 'id')), { node: init, statement }]] : [];
  });
}

const isFunction = ({ type }: SyntaxNode): boolean =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

const nameOf = (node: SyntaxNode | null): string => (typeof node?.['name'] === 'string' ? node['name'] : '');
