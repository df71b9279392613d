import { withoutTail } from './sentences.ts';

/** A kind of commit that changes nothing which a user of the program can observe. */
export interface Chore {
  /** In the words of a rejection, such as `a release`. */
  kind: string;
  /**
   * Nobody would write an instruction of it, whatever else the commit says. Otherwise an entry of a changelog may tell
   * what users notice of it.
   */
  certain: boolean;
}

const TOOLS =
  '(?:e?s?lint(?:ing|er|s)?|prettier|flake8(?:-\\w+)?|ruff|pylint|codespell|pyupgrade|isort|stylecheck|pre-?commit|biome|oxlint)';
const DOCS =
  '(?:docs?|documentation|doc[- ]?strings?|readme(?:\\.\\w+)?|change ?log|release notes|js ?docs?|typos?|spelling|(?:code )?comments|admonitions?|docs? examples?)';
const EDITS =
  '(?:add(?:s|ed|ing)?|updat(?:e|es|ed|ing)|fix(?:e[sd]|ing)?|improv(?:e|es|ed|ing)|correct(?:s|ed)?|rework(?:s|ed)?|redesign(?:s|ed)?|clean(?:s|ed)? ?up|move[sd]?|extend(?:s|ed)?|more|lots more|better|remove[sd]?|rewr(?:ite|ote)|clarif(?:y|ies|ied)|reword(?:s|ed)?|tweak(?:s|ed)?|polish(?:es|ed)?|skip(?:s|ped)?|mark(?:s|ed)?|split(?:s)?|enable[sd]?|disable[sd]?|increase[sd]?|reduce[sd]?|simplif(?:y|ies|ied)|modernize[sd]?|run|use[sd]?)';
const FEW = (most: number): string => `(?:[\\w\`'.*/()-]+\\s+){0,${most}}?`;
const PLATFORM = '(?:c?python|py|pypy|node(?:\\.?js)?|ruby|django|jython)';
const CODE =
  '(?:functions?|methods?|class(?:es)?|modules?|helpers?|code|logic|internals?|utils?|utilit(?:y|ies)|constants?|imports?|variables?|requires?|implementations?|[\\w./-]+\\.(?:py|js|ts|mjs|cjs|tsx))';

interface Rule extends Chore {
  pattern: RegExp;
}
const rule = (kind: string, certain: boolean, ...patterns: string[]): Rule[] =>
  patterns.map((pattern) => ({ kind, certain, pattern: new RegExp(pattern, 'i') }));

/** Words of a subject. The first that fits decides. */
const RULES: readonly Rule[] = [
  ...rule('a revert', true, '^reverts?\\b(?! (?:to|back)\\b)', '^reverted? "'),
  ...rule(
    'a merge',
    true,
    '^(?:auto-?)?merg(?:e|ed|ing) (?:branch|remote|tag|upstream|master|main|stable|develop)\\b',
    '^merge \\S+ into (?:master|main|stable|develop)\\b',
  ),
  ...rule(
    'a release',
    true,
    '^v?\\d+\\.\\d+[\\w.-]*$',
    '^(?:prepare|cut|tag|make|do|publish)(?:s|d)?(?: for)?(?: the| a| an)?(?: new)? (?:v?\\d[\\w.]* )?(?:release|version)\\b',
    '^releas(?:e|ed|ing)(?: version| candidate)?(?:\\s*v?\\d[\\w.-]*)?$',
    '^(?:bump|update|set|increment|version)(?:s|ed)?(?: the)?(?: package)? version(?: number)?s?(?: (?:to|for|from|in)\\b.*)?$',
    '^(?:version|bump)(?: (?:to|packages?))? v?\\d+\\.\\d+\\S*$',
    '^(?:back to|start) (?:dev|development)\\b',
  ),
  ...rule(
    'a change of dependencies',
    true,
    `^(?:bump|upgrade|update|pin|unpin|refresh|roll)(?:s|d|ed|ing)?\\s+${FEW(4)}(?:dev-?)?(?:deps|dependenc(?:y|ies)|requirements|lock-?files?|devdependencies|packages)\\b(?!\\s+(?:ranges?|graphs?|trees?|resolution|injection|types?|order|cycles?|bumps?))`,
    '^(?:bump|upgrade|update|pin)(?:s|d|ed)?(?: to)? \\S+ (?:from|to) v?\\d',
    '^(?:bump|upgrade|update)(?: to)? [`\\w@/.-]+@[~^]?v?\\d',
    '^(?:bump|upgrade) `?@?[a-z][\\w@/.-]*`?$',
    '^remove[sd]? (?:the )?(?:`?[\\w@/.-]+`? )?dependenc(?:y|ies)\\b',
    '^(?:replace|drop|swap)(?:s|d|ped)?\\b.*\\bdependenc(?:y|ies)\\b',
  ),
  ...rule(
    'a change of the platforms that are supported',
    true,
    `^(?:drop|remove|end|stop)(?:s|d|ped|ped)?\\b.{0,40}\\b${PLATFORM}\\s*v?\\d`,
    '^(?:drop|remove)(?:s|d|ped)?\\b.{0,30}\\b(?:end[- ]of[- ]life|eol)\\b',
    `^require[sd]? ${PLATFORM}\\s*v?\\d`,
    `^(?:drop|remove|add)(?:s|ped|d|ed)?\\b.{0,20}\\bsupport (?:for|of) (?:${PLATFORM} ?)?v?\\d+(?:\\.\\d+)*\\b`,
    `^(?:drop|remove)(?:s|ped|d)? old (?:${PLATFORM}|node|python)s?(?: versions?)?$`,
    `^(?:set|raise|increase|bump|update)[sd]? (?:the )?min(?:imum|imal)? (?:supported |required )?(?:${PLATFORM} )?version\\b`,
    `^(?:support|test(?:ing)?)(?:ed|s)?(?: on| against| with)? ${PLATFORM} ?v?\\d[\\d.]*(?: .{0,20})?$`,
  ),
  ...rule(
    'a chore',
    true,
    '^(?:minor |some |dev |more )*chores$',
    '^updat(?:e|es|ed) (?:project|config\\w*|repo\\w*|build|tooling|meta)(?: (?:files?|config\\w*|settings|data))?$',
    '^(?:meta|minor|small|misc) (?:tweaks|edits|changes)$',
    '^(?:add|remov|delet|updat|fix|ignor|mov)(?:e?[sd]|ing|es)?\\b.{0,40}\\.(?:git|npm|docker|eslint|prettier)ignore\\b',
    '^wip$',
    '^experiment(?:s|ing|al work)?\\b',
  ),
  ...rule(
    'formatting or lint',
    true,
    `^(?:run |apply |use |add |update |upgrade |tighten |cull |fix(?:ed)? |sort |enable |configure |bump |migrate to |switch to )?${FEW(5)}${TOOLS}\\b(?!['\`])`,
    '^(?:run |apply )?black(?:$| \\d| dropped| and| formatting)',
    '^(?:re-?)?format(?:ting)?(?:$| (?:code|files?|all|with|using|source)\\b)',
    '^(?:run|apply) (?:auto-?)?format(?:ting|ter)?\\b',
    '^(?:fix )?(?:white ?space|indentation|code style)(?: (?:issues?|fixes?|tweaks?))?$',
    '\\brule-?sets?\\b|\\b(?:style|lint\\w*|simplify) rules?\\b',
    '^automat(?:ed|ic) (?:changes?|fixes)\\b',
    '\\bpep ?-?8\\b|\\blinted\\b',
    '^style (?:fixes|issues|improvements|tweaks)\\b',
  ),
  ...rule(
    'continuous integration',
    true,
    `^(?:run|add|update|fix|use|move|enable|disable|switch|migrate|try|improve)(?:s|d|ed)?\\s+${FEW(4)}(?:ci|github actions?|(?:github |ci |release |publish )workflows?|travis(?:-ci)?|appveyor|circle ?ci|codecov|coveralls|dependabot|renovate)\\b`,
    '^test(?:s|ed|ing)? (?:against|on|with) .*\\bon ci$',
    '^(?:quick |another |more )*(?:fix|repair|unbreak)(?:es|s|ed|ing)?\\b.{0,30}\\b(?:ci|travis|appveyor)$',
  ),
  ...rule(
    'documentation',
    true,
    `^${EDITS}\\s+(?:(?:a|an|the|some|more|missing|broken|outdated|wrong|new|few|inline|api|method|function|frontpage)\\s+)*(?:[\\w\`.]+\\s+)?${DOCS}(?:\\s+(?:in|for|of|to|about|on|and|from|entry|examples?|page)\\b.*|[,;+&].*)?$`,
    '^document(?:s|ed|ing)?\\b(?!.*\\b(?:fix|object|node|root|fragment|element)\\w*\\b)',
    '^update[sd]? docs\\b',
    '^(?:split|merge|reorgani[sz]e|restructure)[sd]? (?:the )?(?:docs?|documentation)\\b',
    '^(?:add|includ|mention|list|mov)(?:e?[sd]|ing|es)?\\b.* (?:to|in) (?:the )?(?:docs?|documentation|readme|docs?/\\S+|\\S+\\.rst)$',
    '^(?:work on |more )?docs?(?:$|[,;&]|\\s+(?:and|tweaks|fixes|updates?)\\b)',
    '^(?:fix|update|add)(?:e?[sd])? (?:the )?front ?page\\b',
  ),
  ...rule(
    'tests alone',
    true,
    `^(?!.*\\bwith (?:unit )?tests?$)${EDITS}\\s+${FEW(6)}(?:unit |regression |integration |e2e |flaky |failing |missing )*(?:tests?|test[- ]?cases?|test[- ]?suite|specs?|test_\\w+|fixtures|(?:test |code )?coverage|benchmarks?)(?:\\s+(?:in|on|for|with|by|to|of|race|failures?|into|from|using)\\b.*|[,;+&].*|\\s+and\\s+(?!fix|correct|handle|support).*)?$`,
    '^test (?:that|for|`|show_)',
    '^add(?:s|ed)? (?:some |more |a few |further )+(?:test )?(?:cases|examples)\\b',
    '\\b100 ?% (?:test |code )?coverage\\b|\\b(?:test|code) coverage$',
    '\\bonly (?:changes|touches) (?:the )?tests\\b',
    `^${EDITS} (?:comprehensive|extensive|exhaustive|thorough) tests?\\b`,
    '^(?:add|check|cover|verify|exercise|test)(?:s|ed|ing)?\\b.*\\bedge[- ]cases?(?:$|,| of\\b| and (?:tests?|verify|check)\\b)',
    '^cover(?:s|ed|ing)? .*(?:branch(?:es)?|code ?paths?|lines)(?:$|,)',
    `^skip(?:s|ped|ping)? .{0,60}\\b(?:in|on|for|with) ${PLATFORM} ?v?\\d[\\d.]*\\+?(?:$|,| and\\b)`,
    '^skip(?:s|ped|ping)? \\d+\\.\\d+\\b',
    '^(?:unit )?tests?(?:$|[,;&]| (?:added|fixed|updated|coverage)\\b)',
    '^(?:all |get all )?\\w* ?tests? pass(?:ing)?\\b',
    '^(?:start )?convert(?:ing|ed)? tests\\b',
  ),
  ...rule('tests alone', false, '^failing tests?\\b'),
  ...rule(
    'types alone',
    false,
    '\\bTypeScript types?\\b(?! guard)|\\b(?:to|from|in) (?:the )?TypeScript(?: definitions?| types?)?$|\\breturn types?$',
    '^(?:fix|improve|add|update|clarify|correct|make|expose|better|use|modern|enable|complete)(?:e?[sd])?\\b.*\\b(?:typ(?:e|ing) ?(?:hints?|annotations?|definitions?|defs?|stubs?|declarations?|checks?|checking|inference)|typings|mypy|pyright|stubs)\\b',
    '\\btyping\\b(?! (?:error|indicator|speed|fast|slow))',
    '^(?:add |more |fix |improve )?(?:mypy|pyright|typescript (?:types?|definitions?))\\b',
    '^(?:add |fix |improve |update |export )+(?:\\w+ )?types$',
    '\\b(?:deferred evaluation of annotations|type annotations?)$',
  ),
  ...rule(
    'refactoring',
    false,
    '^(?:refactor(?:s|ed|ing)?|re-?structur(?:e|es|ed|ing)|re-?organi[sz](?:e|es|ed|ing)|clean(?:s|ed|ing)?[- ]?ups?|cleans? (?:up )?|tid(?:y|ies|ied)|simplif(?:y|ies|ied)|rework(?:s|ed)?|overhaul(?:s|ed)?|moderni[sz](?:e|es|ed)|rewr(?:ite|ites|ote)|hoist|inline code|de-?duplicate code)\\b',
    `^(?:greatly|fundamentally|minor|small|some|more) (?:refactor\\w*|clean ?ups?|tweaks?|edits|tidying)\\b`,
    `^(?:extract|inline|move|convert|port|migrate|rename|split|merge|remove|delete|unify|encapsulate)(?:s|d|ed)?\\s+${FEW(3)}${CODE}\\b`,
    '^split (?:out|up|into|in)\\b',
    '^(?:merge|move) \\S+(?: and \\S+)? into (?:own |a |new |the )?\\S+(?: \\w+)?$',
    '^(?:migrate|switch|move|port)(?:s|d|ed)? (?:to|from) \\S+(?: (?:to )?\\S+)?(?: for .*)?$',
    '^move[sd]? .* (?:to|into) (?:(?:an?|the|its) )?(?:\\(?private\\)? )?(?:\\S+ )?(?:method|function|class|module|file|helper)$',
    '^move[sd]? .*\\b(?:to|into) (?:an?|its|their) (?:separate|own) (?:package|module|file)\\b',
    '^replace[sd]? (?:the |all )?deprecated\\b',
    '^comment(?:s|ed)? out\\b',
    '^(?:create|add|make|introduce)[sd]? (?:an? )?(?:class|method|function|helper|module)(?:es|s)? for (?:each|every|all)\\b',
    `^(?:remove|delete|drop)(?:s|d|ped)? ${FEW(2)}(?:unused|dead|unnecessary|redundant|obsolete|unneeded|superfluous|junk|leftover|duplicate[d]?)\\b`,
    '^introduce[sd]? (?:a |an )?\\S*_\\S* (?:function|helper|method)$',
    '\\bcode (?:clean ?up|simplification|style|quality)\\b',
    '^(?:remove|drop) (?:six|compat\\w*|_compat)\\b',
    '^(?:prefix|sort) (?:\\S+ )*imports?$',
    '^(?:harmoni[sz]e|consolidate|align)(?:s|d)?\\b.*\\b(?:apis?|implementations?|code|naming|style)\\b',
    '^consistent(?:ly)? (?:use|usage|using|naming) (?:of )?.*\\b(?:parameters?|arguments?|names?|naming|variables?|style)$',
  ),
  ...rule(
    'performance alone',
    false,
    '^(?:improve|optimi[sz]e|increase|better|boost)(?:s|d)?\\b.*\\b(?:performance|speed|memory usage|benchmarks?)\\b',
    '^the performance of\\b',
    '^(?:much |way |a lot )?faster\\b|\\bfaster$|\\bmore efficient(?:ly)?$|\\bfor (?:better )?(?:performance|speed)$|\\bperf$',
    '^pre-?optimi[sz]e[sd]?\\b|^tweak(?:s|ed)?\\b.*\\boptimi[sz]ations?\\b',
    '^(?:lazy|lazily)[- ](?:load|import)(?:s|ed|ing)?\\b|^(?:load|import|require)(?:s|ed)? \\S+ (?:\\S+ )?lazily$',
    '^(?:performance|perf|optimi[sz]ations?)\\b',
    '^(?:speed(?:s|ed)? up|optimi[sz]e[sd]?|micro-?optimi)\\b',
  ),
];

/** Types of conventional commits, and the tags that some projects write in brackets. */
const TYPES: readonly (Chore & { types: string })[] = [
  { types: 'docs?|documentation|doc fix(?:es)?', kind: 'documentation', certain: true },
  { types: 'tests?|tst|specs?', kind: 'tests alone', certain: true },
  { types: 'ci|actions', kind: 'continuous integration', certain: true },
  { types: 'deps?(?:-dev)?|dev[- ]deps|peer[- ]deps|dependencies', kind: 'a change of dependencies', certain: true },
  { types: 'style|lint|format(?:ting)?|eslint|prettier|pre-commit\\.ci', kind: 'formatting or lint', certain: true },
  { types: 'release|version', kind: 'a release', certain: true },
  { types: 'revert', kind: 'a revert', certain: true },
  { types: 'chores?|build|meta|infra|readme|tooling|benchmarks?', kind: 'a chore', certain: true },
  { types: 'refactor(?:ing)?|cleanup|clean|cln|rf|maint(?:enance)?|internal', kind: 'refactoring', certain: false },
  { types: 'types?|typing|typings|mypy', kind: 'types alone', certain: false },
  { types: 'perf(?:ormance)?', kind: 'performance alone', certain: false },
];
const CHORE_TYPES = TYPES.map(({ types, ...chore }) => ({
  ...chore,
  prefix: new RegExp(`^(?:\\[(?:${types})\\]|(?:${types})(?:\\([^)]*\\))?!?\\s*:)`, 'i'),
  scope: new RegExp(`^\\w+\\((?:${types})\\)!?\\s*:`, 'i'),
}));

/** A fix or a feature of a part of the program, which may be called `version` or `format`. */
const OF_CODE = /^(?:fix|feat)\((?!(?:docs?|tests?|ci|deps?(?:-dev)?|types?|typings?|lint|readme)\))/i;
const MAX_BODY = 8000;
const NUMBERS = /\s*\(?(?:(?:fixes|closes|resolves|refs|see)?:?\s*(?:[\w.-]+\/[\w.-]+)?#\d+[,\s]*(?:and)?\s*)+\)?/gi;
const BREAKAGE = /\b(?:crash(?:es|ed|ing)?|throws?|raises?|hangs?|fail(?:s|ed|ing|ure)?|(?:\w+)(?:Error|Exception))\b/;

/** A sentence that says so of the whole commit. */
const UNCHANGED =
  /(?:^|[.;\n])\s*(?:there (?:is|are) |this is )?(?:no (?:functional|behaviou?r(?:al)?|user[- ]visible|observable) changes?(?: intended| expected)?|(?:the )?runtime behaviou?r is unchanged|it'?s functionally irrelevant|functionally irrelevant)\s*(?:[.!:,;]|$)/im;

/**
 * Tells from the subject of a commit that it is a chore: a release, dependencies, documentation, tests, CI, formatting,
 * types, refactoring, a revert. Null for anything else, and wherever the subject may be about behaviour.
 */
export function choreOf(message: string): Chore | null {
  const [line = ''] = message.trimStart().split('\n', 1);
  const subject = line
    .replace(/^[\s*-]+|^(?:\p{Extended_Pictographic}\ufe0f?\s*|:\w+:\s*)+/gu, '')
    .slice(0, 300)
    .trim();
  for (const { prefix, scope, kind, certain } of CHORE_TYPES)
    if (prefix.test(subject) || (scope.test(subject) && !OF_CODE.test(subject))) return { kind, certain };
  const plain = withoutTail(subject)
    .replace(/^(?:(?:\[[^\]]{1,20}\]|[\w-]{1,20}(?:\([^)]*\))?!?:)\s+)+/, '')
    .replace(NUMBERS, ' ')
    .replace(/[\s.!]+$/, '')
    .trim();
  if (BREAKAGE.test(plain)) return null;
  const body = message.trimStart().slice(line.length, MAX_BODY);
  if (UNCHANGED.test(body)) return { kind: 'refactoring', certain: true };
  const found = RULES.find(({ pattern }) => pattern.test(plain));
  if (found?.kind === 'documentation' && /\btypos?\b/i.test(plain) && BREAKAGE.test(body)) return null;
  return found ? { kind: found.kind, certain: found.certain } : null;
}
