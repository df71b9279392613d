import type { ChecklistStandard, JudgePromptStandard, Standard, TestCasesStandard } from '@assay/protocol';
import { harmlessText } from '@assay/protocol';

const LONGEST_EXAMPLE = 400;

/**
 * Renders what a solver may see of a standard, in Markdown: what is asked, how it is called, what will be looked at. It
 * holds no expected value, no input but that of one call, and no command of a probe.
 */
export function publicView(standard: Standard): string {
  return `${[...(standard.title ? [`# ${line(standard.title)}`] : []), ...body(standard)].join('\n\n')}\n`;
}

function body(standard: Standard): string[] {
  return [...(standard.description ? [harmlessText(standard.description).trim()] : []), ...rules(standard)];
}

function rules(standard: Standard): string[] {
  switch (standard.type) {
    case 'test_cases':
      return testCases(standard);
    case 'judge_prompt':
      return judgePrompt(standard);
    case 'checklist':
      return checklist(standard);
    case 'composite':
      return standard.children.flatMap((child, index) => [
        `## Part ${index + 1}${child.standard.title ? `: ${line(child.standard.title)}` : ''} (weight ${child.weight})`,
        ...body(child.standard),
      ]);
  }
}

function testCases(standard: TestCasesStandard): string[] {
  const { functionName, language = 'javascript', signature, cases } = standard;
  const [first] = cases;
  const call = first ? `${functionName}(${first.input.map((value) => JSON.stringify(value)).join(', ')})` : '';
  const example = call.length > LONGEST_EXAMPLE ? `${call.slice(0, LONGEST_EXAMPLE)}…` : call;
  const described = cases.flatMap(({ desc }) => (desc === undefined ? [] : [`- ${line(desc)}`]));
  return [
    `Write the function \`${functionName}\` in ${NAMES[language]}.`,
    ...(signature ? [`Its signature: \`(${signature.params.join(', ')}) -> ${signature.returns}\`.`] : []),
    `It is called with ${cases.length === 1 ? 'one input' : `${cases.length} inputs`}, ` +
      'and what it returns is compared. A call looks like this:',
    `\`\`\`\n${harmlessText(example)}\n\`\`\``,
    ...(described.length > 0 ? [['What is tested:', ...described].join('\n')] : []),
  ];
}

const NAMES = {
  javascript: 'JavaScript or TypeScript',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
  rust: 'Rust',
} as const;

function judgePrompt({ prompt, criteria, weights }: JudgePromptStandard): string[] {
  const listed = (criteria ?? []).map(
    (criterion, index) => `- ${line(criterion)}${weights ? ` (weight ${weights[index] ?? 1})` : ''}`,
  );
  return [
    'A model judges the submission by this:',
    quote(prompt),
    ...(listed.length > 0 ? [['Each of these is scored:', ...listed].join('\n')] : []),
  ];
}

function checklist({ items }: ChecklistStandard): string[] {
  return [
    [
      'Each of these must hold:',
      ...items.map((item) => `- ${line(typeof item === 'string' ? item : item.check)}`),
    ].join('\n'),
  ];
}

const quote = (text: string): string =>
  harmlessText(text)
    .trim()
    .split('\n')
    .map((part) => `> ${part}`)
    .join('\n');
const line = (text: string): string => harmlessText(text).replace(/\s+/g, ' ').trim();
