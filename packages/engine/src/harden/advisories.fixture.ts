import type { AdvisoryContext } from './scrub-instruction.ts';

/** An advisory with pointers to its fix, in the forms that advisories use. */
export interface PlantedAdvisory {
  name: string;
  summary: string;
  details: string;
  context?: Partial<AdvisoryContext>;
  project?: string;
  /** Texts that must be in the instruction. */
  symptom: string[];
  /** Texts that must not. */
  planted: string[];
}

export const ADVISORIES: PlantedAdvisory[] = [
  {
    name: 'four sections, as code hosts propose them',
    summary: 'inkpot: endless loop while reading an empty palette',
    details:
      '### Impact\nA palette of zero colours keeps `read_palette` in an endless loop.\n\n### Patches\nFixed in 4.2.1.\n\n### Workarounds\nCheck the length of the palette before.\n\n### References\n- https://github.com/ink/pot/pull/77\n- CVE-2031-1000',
    symptom: ['palette of zero colours', 'endless loop'],
    planted: ['4.2.1', 'pull/77', 'CVE-2031', 'Check the length'],
  },
  {
    name: 'one paragraph, as indexes write it',
    summary: '',
    details:
      'inkpot is a library for drawings. Prior to version 2.0.3, a name with a NUL byte made `open_drawing` read another file than the one that was checked. Version 2.0.3 contains a patch for this issue. See PR #812 for details.',
    project: 'inkpot',
    symptom: ['a name with a NUL byte', 'open_drawing'],
    planted: ['2.0.3', '#812', 'contains a patch'],
  },
  {
    name: 'ranges in prose',
    summary: 'Stored markup runs in the preview of inkpot',
    details:
      'inkpot versions >= 1.4.0, < 1.9.2 are affected. The preview shows the title of a drawing without escaping, so that markup in it runs in the browser of whoever looks at it.',
    project: 'inkpot',
    symptom: ['without escaping', 'runs in the browser'],
    planted: ['1.4.0', '1.9.2', 'affected'],
  },
  {
    name: 'ids in every spelling',
    summary: 'CVE-2031-22222: deep nesting exhausts the stack',
    details:
      'Tracked as GHSA-abcd-1234-efgh, PYSEC-2031-7, SNYK-PYTHON-INKPOT-123456 and CWE-674. A list nested ten thousand levels deep ends the process with a stack overflow.',
    context: { identifiers: ['CVE-2031-22222', 'GHSA-abcd-1234-efgh', 'PYSEC-2031-7'] },
    symptom: ['ten thousand levels', 'stack overflow'],
    planted: ['CVE-2031', 'GHSA', 'PYSEC', 'SNYK', 'CWE'],
  },
  {
    name: 'a position in a file',
    summary: 'Quadratic time in splitting of headers',
    details:
      'Splitting a header of many commas takes quadratic time. The loop in `inkpot/headers.py#L120-L131` (see also inkpot/headers.py:77) scans from the start again. It is on line 120.',
    context: { sourcePaths: ['inkpot/headers.py'] },
    symptom: ['many commas', 'quadratic time'],
    planted: ['headers.py', 'L120', '120', ':77'],
  },
  {
    name: 'the name of the file alone',
    summary: 'Cookies of another host are sent along',
    details:
      'After a redirect the client in `lib/cookie-jar.js` sends cookies that were set for another host. The mistake is in cookie-jar.js.',
    context: { sourcePaths: ['lib/cookie-jar.js'] },
    symptom: ['After a redirect', 'set for another host'],
    planted: ['cookie-jar'],
  },
  {
    name: 'credits in a sentence',
    summary: 'Archive members leave the target directory',
    details:
      'Unpacking an archive writes members with `..` in their path outside of the target directory. Thanks to Erika Mustermann of Acme Labs for the report. Reported by Jo Doe.',
    context: { identifiers: ['Erika Mustermann'] },
    symptom: ['outside of the target directory'],
    planted: ['Erika', 'Mustermann', 'Acme', 'Jo Doe'],
  },
  {
    name: 'a person named by the record alone',
    summary: 'Wrong length for surrogate pairs',
    details:
      'Some texts are cut in the middle of a character, as Grace Example noticed, when they hold surrogate pairs.',
    context: { identifiers: ['Grace Example'] },
    symptom: ['surrogate pairs'],
    planted: ['Grace Example'],
  },
  {
    name: 'full and short hashes',
    summary: 'Comparison of tokens leaks their length',
    details:
      'Comparing a token returns early, so that its length can be measured. Commit 0f3c9ab and commit 1234567890abcdef1234567890abcdef12345678 fix the issue. A bad merge, deadbee1, brought it in.',
    symptom: ['returns early'],
    planted: ['0f3c9ab', '1234567890abcdef', 'deadbee1'],
  },
  {
    name: 'links in Markdown, in angles and bare',
    summary: 'Redirects to other schemes are followed',
    details:
      'A redirect to a `file:` address is followed, so that local files are shown. [The change](https://gitlab.com/ink/pot/-/commit/abcdef1) <https://example.dev/advisory> www.inkpot.dev/security and github.com/ink/pot/compare/v1...v2 tell more.',
    symptom: ['redirect to a `file:` address'],
    planted: ['gitlab.com', 'example.dev', 'inkpot.dev', 'github.com', 'abcdef1'],
  },
  {
    name: 'a remedy in the same paragraph',
    summary: 'Signatures of empty messages are accepted',
    details:
      'A signature over an empty message is accepted whatever the key is. Users should upgrade to 3.1 as soon as possible. If you cannot upgrade, apply the changes from the linked pull request. The fix rejects empty messages.',
    symptom: ['empty message is accepted'],
    planted: ['upgrade', '3.1', 'pull request', 'rejects empty'],
  },
  {
    name: 'bold headings',
    summary: 'Memory grows with every aborted upload',
    details:
      '**Description**\nEach upload that the client aborts leaves its buffer behind, until memory runs out.\n\n**Recommended fix**\nFree the buffer in the close handler.\n\n**Disclosure timeline**\n- 2031-01-02: reported',
    symptom: ['client aborts'],
    planted: ['Free the buffer', '2031-01-02'],
  },
  {
    name: 'headings with lines under them',
    summary: 'Negative sizes are accepted',
    details:
      'Impact\n======\nA negative size in the header makes the reader jump backwards without end.\n\nSolution\n--------\nRaise an error when the size is below zero.',
    symptom: ['negative size in the header'],
    planted: ['below zero'],
  },
  {
    name: 'sections inside a section that goes',
    summary: 'Path of a template may leave its root',
    details:
      '## Details\nA template name that begins with two slashes is read from outside of the root.\n\n## Remediation\n### Short term\nStrip leading slashes.\n### Long term\nCompare real paths.\n\n## Proof of concept\nRender the template `//etc/passwd`.',
    symptom: ['begins with two slashes', '//etc/passwd'],
    planted: ['Strip leading', 'Compare real'],
  },
  {
    name: 'hidden characters and comments',
    summary: 'Un\u200bbounded re\u200bcursion in aliases',
    details:
      'An alias that names itself recurses until the process dies. <!-- fixed by #99 --> See GHSA\u200b-aaaa-bbbb-cccc and pu\u200bll/1\u200b23.',
    symptom: ['An alias that names itself'],
    planted: ['#99', 'GHSA', 'pull/123', '\u200b'],
  },
  {
    name: 'a diff as code',
    summary: 'Zero widths are not refused',
    details:
      'A table whose widths are all zero is read without end.\n\n```diff\n- if width < 0:\n+ if width <= 0:\n+     raise TableError("bad width")\n```\n\n```python\nread_table(b"", [0, 0, 0], 10**9)\n```',
    symptom: ['widths are all zero', 'read_table(b"", [0, 0, 0], 10**9)'],
    planted: ['bad width', 'width <= 0'],
  },
  {
    name: 'the vulnerable code, quoted',
    summary: 'Log lines can be forged',
    details:
      'A line end in a user name goes into the log as it is, so that lines can be forged.\n\n### Vulnerable code\n```js\nlogger.write(name)\n```\n\n### Root cause analysis\nescapeName is never called in writeEntry.',
    symptom: ['lines can be forged'],
    planted: ['logger.write', 'escapeName'],
  },
  {
    name: 'scores',
    summary: 'Timeouts are not applied to the handshake',
    details:
      'Severity: High\nCVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H\n\nA peer that never finishes the handshake holds its connection for ever. CVSS score 7.5 (AV:N/AC:L).',
    symptom: ['never finishes the handshake'],
    planted: ['CVSS', 'AV:N', '7.5', 'High'],
  },
  {
    name: 'an affected line as a label',
    summary: 'Wrong origin is trusted',
    details:
      'Affected versions: all before 5.x\nPatched versions: 5.0.0\n\nAn origin that only ends in the trusted name is trusted: `eviltrusted.test` passes for `trusted.test`.',
    symptom: ['only ends in the trusted name'],
    planted: ['5.x', '5.0.0', 'Patched'],
  },
  {
    name: 'a version with a name beside it',
    summary: 'inkpot 3.2 renders remote images',
    details:
      'Since inkpot 3.2rc1 a drawing may name a remote image, which is then fetched while it is shown. inkpot==3.2.4 and inkpot@3.2.4 no longer do so.',
    project: 'inkpot',
    symptom: ['remote image'],
    planted: ['3.2', 'no longer'],
  },
  {
    name: 'bare versions that only the record tells',
    summary: 'Scripts in titles run',
    details: 'In 10.7 titles may hold scripts, which run when the page is shown. That came with 10.5 by an oversight.',
    context: { identifiers: ['10.7', '10.5'] },
    symptom: ['titles may hold scripts'],
    planted: ['10.7', '10.5'],
  },
  {
    name: 'a mirror of the report',
    summary: 'Decompression without a limit',
    details:
      'A response of a few bytes unpacks to gigabytes. Original report: https://bounty.example.io/reports/31337\n\nFor more information email security@inkpot.io or open an issue in our repository.',
    symptom: ['unpacks to gigabytes'],
    planted: ['31337', 'security@', 'open an issue'],
  },
  {
    name: 'references as foot notes',
    summary: 'Regular expression takes exponential time',
    details:
      'A date with many blanks keeps the parser busy for minutes [1].\n\n[1]: https://github.com/ink/pot/blob/main/date.py#L3',
    symptom: ['many blanks'],
    planted: ['[1]', 'github.com', 'date.py'],
  },
  {
    name: 'mentions and trailers',
    summary: 'Sessions survive a change of password',
    details:
      'After a change of password, sessions of other devices stay valid. cc @maintainer-bot\n\nCo-authored-by: Someone <someone@inkpot.io>',
    symptom: ['sessions of other devices stay valid'],
    planted: ['@maintainer-bot', 'Someone', 'inkpot.io'],
  },
  {
    name: 'a traceback',
    summary: 'Empty input ends the server',
    details:
      'An empty body ends the server with an uncaught error.\n\n```\nTraceback (most recent call last):\n  File "/srv/inkpot/body.py", line 44, in read\nIndexError\n```',
    context: { sourcePaths: ['inkpot/body.py'] },
    symptom: ['An empty body ends the server'],
    planted: ['line 44', 'body.py'],
  },
  {
    name: 'other indexes and trackers',
    summary: 'BIT-inkpot-2031-5: wrong owner of temporary files',
    details:
      'Temporary files belong to the user of the first request, so that later ones cannot remove them (RHSA-2031:1234, USN-5555-1, JIRA INK-4321, RUSTSEC-2031-0003).',
    context: { identifiers: ['BIT-inkpot-2031-5'] },
    symptom: ['user of the first request'],
    planted: ['BIT-inkpot', 'RHSA', 'USN', 'INK-4321', 'RUSTSEC'],
  },
  {
    name: 'a section about versions with emoji and a number',
    summary: 'Keys of objects reach the prototype',
    details:
      '## 1. Summary\nMerging an object with the key `__proto__` changes the prototype of all objects.\n\n## 🛡️ 2. Mitigation steps\nFreeze the prototype.\n\n## 3. Affected component\n`merge()` in src/merge.ts',
    context: { sourcePaths: ['src/merge.ts'] },
    symptom: ['`__proto__`', 'prototype of all objects'],
    planted: ['Freeze', 'merge.ts'],
  },
  {
    name: 'no heading, no summary, links first',
    summary: '',
    details:
      'https://github.com/ink/pot/security/advisories/GHSA-q2x7-8rv6-6q7h\n\nA comment of ten megabytes in a style sheet makes the minifier hang for hours.',
    symptom: ['comment of ten megabytes'],
    planted: ['GHSA', 'github'],
  },
];
