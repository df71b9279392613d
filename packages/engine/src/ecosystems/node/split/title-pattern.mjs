import { bare } from './syntax.mjs';

const FORMAT = /%(?:[sdifjoOcp#$]|\.\d+f)|\$(?:#|[A-Za-z_][\w$]*(?:\.[\w$]+)*)/g;

/**
 * What is known of a title: `{text}` when all of it is; else `{source}`, a regular expression with a gap for each part
 * that is filled in when the tests run. `isTable`: the runner fills in placeholders.
 */
export function titlePattern(node, isTable) {
  const parts = partsOf(node, 0);
  if (parts.every((part) => part !== null) && !isTable) return { text: parts.join('') };
  const source = parts.map((part) => (part === null ? '[^]*' : isTable ? filledIn(part) : escape(part))).join('');
  return { source };
}

function filledIn(text) {
  return text
    .split(FORMAT)
    .map((part) => escape(part.replaceAll('%%', '%')))
    .join('[^]*');
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Texts that follow each other in a title; null for one that is not known. */
function partsOf(expression, depth) {
  const node = bare(expression);
  if (depth > 20) return [null];
  switch (node.type) {
    case 'StringLiteral':
      return [node.value];
    case 'NumericLiteral':
      return [String(node.value)];
    case 'TemplateLiteral':
      return node.quasis.flatMap((quasi, index) => [
        quasi.value.cooked ?? null,
        ...(index < node.expressions.length ? partsOf(node.expressions[index], depth + 1) : []),
      ]);
    case 'BinaryExpression':
      return node.operator === '+' ? [...partsOf(node.left, depth + 1), ...partsOf(node.right, depth + 1)] : [null];
    case 'Identifier': {
      const { binding } = node;
      if (binding?.init && binding.writes === 0 && /^(const|let|var)$/.test(binding.kind))
        return partsOf(binding.init, depth + 1);
      // vitest and jest take the name of a function or class.
      return depth === 0 && /^(import|function|class)$/.test(binding?.kind) ? [node.name] : [null];
    }
    default:
      return [null];
  }
}
