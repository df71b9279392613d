import { bare, keyOf } from './syntax.mjs';

/** Line on which an assertion says, literally, what an error is to say; undefined when it does not. */
export function messageLineOf(site) {
  const message = messageOf(site);
  return message?.loc.start.line;
}

/** The same assertion without the words of the error: its class alone is compared. */
export function relaxSite(site) {
  const message = messageOf(site);
  if (message === undefined) return site;
  const at = site.expected.findIndex((each) => bare(each) === message);
  if (at < 0) return { ...site, expected: site.expected.map((each) => withoutMessage(bare(each))) };
  const expected = site.expected.filter((_, index) => index !== at);
  if (site.plan.kind !== 'chai') return { ...site, expected };
  const links = site.plan.links.map(([name, count]) => [name, /^throws?$/i.test(name) ? count - 1 : count]);
  return { ...site, expected, plan: { ...site.plan, links } };
}

function messageOf({ isThrow, expected, native }) {
  if (!isThrow || native || !expected) return undefined;
  for (const each of expected.map(bare)) {
    if (isText(each)) return each;
    const property = each.type === 'ObjectExpression' ? each.properties.find((one) => isMessage(one)) : undefined;
    if (property) return bare(property.value);
  }
  return undefined;
}

const isText = ({ type }) => /^(StringLiteral|TemplateLiteral|RegExpLiteral)$/.test(type);
const isMessage = (property) =>
  property.type === 'ObjectProperty' && keyOf(property) === 'message' && isText(bare(property.value));

const withoutMessage = (node) =>
  node.type === 'ObjectExpression'
    ? { ...node, properties: node.properties.filter((property) => !isMessage(property)) }
    : node;
