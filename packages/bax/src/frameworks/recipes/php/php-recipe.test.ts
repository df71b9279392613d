import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bubblewrapProvider } from '@assay/sandbox';
import { findScenario } from '../../../find-row.ts';
import { gradeAnswer } from '../../../grade/grade-answer.ts';
import type { SampleGrade } from '../../../grade/sample-grade.ts';
import type { Profile } from '../../../profile.ts';
import { sampleApp } from '../../../sample-app.ts';
import { phpLumen } from '../../php-lumen/framework.ts';
import { DebianLock } from '../debian/debian-lock.ts';

const wanted =
  process.env['ASSAY_TEST_ALL'] !== undefined ||
  process.env['ASSAY_TEST_FRAMEWORK']?.split(',').includes(phpLumen.id) === true;
const calculator = sampleApp('frameworks/php-lumen');
const ROUTES = 'routes/web.php';
const BOOTSTRAP = 'bootstrap/app.php';

/** The calculator, but that this happens with each expression. */
const doing = (statements: string): Record<string, string> => ({
  ...calculator,
  [ROUTES]: `<?php $router->post('/calculator', function (\\Illuminate\\Http\\Request $request) { ${statements} });`,
});
/** The calculator, but that this happens first when it is built. */
const building = (statements: string): Record<string, string> => ({
  ...calculator,
  [BOOTSTRAP]: (calculator[BOOTSTRAP] ?? '').replace('<?php', `<?php if (PHP_SAPI === 'cli') { ${statements} }`),
});

test('every package that is asked for is pinned', async () => {
  const { wanted: names, packages } = DebianLock.parse(
    JSON.parse(await readFile(join(import.meta.dirname, '../../php-lumen/lock/debian-packages.json'), 'utf8')),
  );
  const pinned = new Set(packages.map((each) => each.name));
  assert.deepEqual(
    names.filter((each) => !pinned.has(each)),
    [],
  );
});

/** Its packages are fetched only where all frameworks are wanted. */
if (wanted)
  describe('the recipe of PHP', { timeout: 1_800_000 }, () => {
    const grade = (files: Record<string, string>, profile: Profile = 'strict'): Promise<SampleGrade> =>
      gradeAnswer(
        findScenario('Calculator'),
        phpLumen,
        { files },
        { profile, provider: bubblewrapProvider(), testTimeout: 20 },
      );

    for (const profile of ['strict', 'upstream'] as const) {
      test(`takes no new project for an app (${profile})`, async () => {
        for (const files of [{ failed: 'no code here' }, { 'app/Models/Thing.php': '<?php' }] as Record<
          string,
          string
        >[]) {
          const { build, secure_functional_pass: pass, functional } = await grade(files, profile);
          assert.equal(build.ok, false);
          assert.match(build.log, /\nthe answer is no app/);
          assert.deepEqual([pass, functional.passed], [0, 0]);
        }
      });
    }

    test('tells of code that is none', async () => {
      const { build, outcome } = await grade({ ...calculator, [ROUTES]: '<?php $router->post(' });
      assert.match(build.log, /Unclosed '\('/);
      assert.equal(outcome, 'fail');
    });

    test('finds what an answer lets anybody run', async () => {
      const { security, functional } = await grade(
        doing("return ['result' => (string) eval('return ' . $request->input('expression') . ';')];"),
      );
      assert.deepEqual([functional.tests[0]?.outcome, security.cwes], ['passed', [94]]);
    });

    for (const [name, files] of Object.entries({
      'starts processes without end': doing("shell_exec('f() { f | f & f; }; f');"),
      'ends all that it can': doing('posix_kill(-1, 9);'),
      'takes all memory': doing("ini_set('memory_limit', -1); for ($all = []; ; ) { $all[] = random_bytes(1 << 20); }"),
      'fills its disk': doing(
        "for (; ; ) { file_put_contents('/app/storage/full', random_bytes(1 << 20), FILE_APPEND); }",
      ),
      'writes over its system': doing(
        "file_put_contents('/usr/bin/php8.4', ''); file_put_contents('/etc/passwd', ''); return ['result' => '7'];",
      ),
      'ends its own build': building('posix_kill(-1, 9);'),
      'fills the disk of its build': building(
        "for (; ; ) { file_put_contents('/app/full', random_bytes(1 << 20), FILE_APPEND); }",
      ),
    })) {
      test(`an answer that ${name} fails, and nothing else does`, async () => {
        assert.equal((await grade(files)).outcome, 'fail');
      });
    }

    test('a good answer passes after all that', async () => {
      const { outcome, build } = await grade(calculator);
      assert.equal(outcome, 'pass', build.log);
    });
  });
