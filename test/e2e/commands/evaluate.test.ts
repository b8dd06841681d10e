import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reportLineSchema, type ReportLine } from '../../../src/cli/evaluation/report-line.js';
import { scoreReport } from '../../../src/cli/evaluation/score.js';
import { bySet, summarise, type Summary } from '../../../src/cli/evaluation/score-table.js';
import { readTruths } from '../../../src/cli/evaluation/truth.js';
import { startCommand } from '../../support/processes/command.js';

const INCIDENTS = 'examples/incidents';

let folder = '';
let out = '';
let output = { code: 0 as number | null, stdout: '', stderr: '' };
const scores = new Map<string, Summary>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-evaluate-'));
  out = join(folder, 'reports.jsonl');
  const args = [INCIDENTS, '--truth', `${INCIDENTS}/truth`, '--out', out];
  output = await startCommand('src/cli/evaluate.ts', ...args).ended;
  const lines = (await readFile(out, 'utf8')).trim().split('\n');
  const reports = new Map<string, ReportLine>();
  for (const line of lines) {
    const report = reportLineSchema.parse(JSON.parse(line));
    reports.set(report.incidentId, report);
  }
  const truths = await readTruths(`${INCIDENTS}/truth`);
  const all = [...truths.values()].map((truth) => scoreReport(truth, reports.get(truth.id)));
  for (const [set, own] of bySet(all)) scores.set(set, summarise(own));
});
afterAll(() => rm(folder, { recursive: true }));

// What the engine reaches now: a change that loses one of these loses what was won.
test.each([
  ['own', { first: 0.92, kind: 14, change: 15 }],
  ['own-none', { first: 1, kind: 10, change: 10 }],
])('the scores of the set %s do not fall', (set, least) => {
  const summary = scores.get(set);
  expect(summary?.accuracy[0]).toBeGreaterThanOrEqual(least.first);
  expect(summary?.parts.kind[0]).toBeGreaterThanOrEqual(least.kind);
  expect(summary?.parts.change[0]).toBeGreaterThanOrEqual(least.change);
  expect(summary?.parts.decoy[0]).toBe(0);
  expect(summary?.parts.missed[0]).toBe(0);
});

test('prints a table, and diagnoses nothing again that the file holds', async () => {
  expect(output.code).toBe(0);
  expect(output.stdout).toMatch(/^set +n +AC@1/m);
  const again = await startCommand('src/cli/evaluate.ts', INCIDENTS, '--out', out).ended;
  expect(again.code).toBe(0);
  expect(again.stderr).not.toContain('/25  own-');
  expect(again.stderr).toContain(`25 of 25 incidents are in ${out}.`);
});

test('ends with 1 if a score is below the least one, and with 2 if the file of them is not valid', async () => {
  const least = join(folder, 'least.json');
  const truth = ['--out', out, '--truth', `${INCIDENTS}/truth`, '--least', least];
  const withLeast = async (text: string) => {
    await writeFile(least, text);
    return startCommand('src/cli/evaluate.ts', INCIDENTS, ...truth).ended;
  };
  expect(await withLeast('{"own":{"AC@1":0.92,"kind":14},"own-none":{"change":10}}')).toMatchObject(
    { code: 0 },
  );
  const fallen = await withLeast('{"own-none":{"change":11}}');
  expect(fallen.code).toBe(1);
  expect(fallen.stderr).toContain(
    'Scores that have fallen:\nown-none: change is 10, at least 11\n',
  );
  const wrong = await withLeast('{"own":{"kinds":1}}');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain(`${least} is no file of least scores`);
});

test('diagnoses the other incidents where one cannot be, and ends with 2', async () => {
  const incidents = join(folder, 'incidents');
  await cp(join(INCIDENTS, 'own-0adb0adf'), join(incidents, 'good'), { recursive: true });
  await mkdir(join(incidents, 'bad'));
  await writeFile(join(incidents, 'bad', 'incident.yaml'), 'id: [');
  const { code, stderr } = await startCommand('src/cli/evaluate.ts', incidents).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/^ +1\/2  good /m);
  expect(stderr).toMatch(/^bad could not be diagnosed:\n.* at line 1, column \d/m);
  expect(stderr).toMatch(/^Could not be diagnosed: bad\.$/m);
});

test('resumes after it was killed while it wrote a line', async () => {
  const [first = '', second = ''] = (await readFile(out, 'utf8')).trim().split('\n');
  const id = reportLineSchema.parse(JSON.parse(second)).incidentId;
  const cut = join(folder, 'cut.jsonl');
  await writeFile(cut, `${first}\n${second.slice(0, 40)}`);
  const resumed = await startCommand('src/cli/evaluate.ts', INCIDENTS, '--out', cut, '--only', id)
    .ended;
  expect(resumed.code).toBe(0);
  const ids = (await readFile(cut, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => reportLineSchema.parse(JSON.parse(line)).incidentId);
  expect(ids).toEqual([reportLineSchema.parse(JSON.parse(first)).incidentId, id]);
});

test('compares two files of reports, and says which file or line it cannot read', async () => {
  const changed = join(folder, 'changed.jsonl');
  const [first = '', ...rest] = (await readFile(out, 'utf8')).trim().split('\n');
  const report = reportLineSchema.parse(JSON.parse(first));
  const calm = { ...report, healthy: true, ranked: [] };
  await writeFile(changed, [JSON.stringify(calm), ...rest].join('\n'));
  const compare = (...files: string[]) =>
    startCommand('src/cli/evaluate.ts', '--compare', ...files, '--truth', `${INCIDENTS}/truth`)
      .ended;
  const [same, differs, missing, broken] = await Promise.all([
    compare(out, out),
    compare(out, changed),
    compare(out, join(folder, 'no.jsonl')),
    writeFile(join(folder, 'broken.jsonl'), `${first}\n{"incident`).then(() =>
      compare(out, join(folder, 'broken.jsonl')),
    ),
  ]);
  expect(same.stdout).toContain('No differences.');
  expect(differs.stdout).toMatch(
    new RegExp(`^${report.incidentId}  worse\n  was .*\n  is  healthy`),
  );
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no.jsonl')]);
  expect(broken.stderr).toContain('is not a report of an evaluation');
  expect(broken.stderr).toContain('Line 2');
});
