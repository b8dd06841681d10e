import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunRecord } from '../../src/client/index.js';
import type { Report } from '../../src/domain/diagnosis/finding.js';
import { BROKEN, PASSWORDS, type BrokenSystem } from '../support/broken-systems.js';
import { startCommand, startCommandWith } from '../support/command.js';
import { withoutRun } from '../support/without-run.js';

// Kinds of sources whose programs are not installed are left out.
const THERE = BROKEN.filter(({ isThere }) => isThere());

let folder = '';
let live: Report;
let replayed: Report;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-sources-'));
  await mkdir(join(folder, 'journal'));
  const systems = await Promise.all(
    THERE.map(async ({ name, start }) => ({ name, ...(await start(folder)) })),
  );
  const bundle = join(folder, 'bundle');
  live = await diagnoseLive(systems, '--capture', bundle);
  await Promise.all(systems.map(({ stop }) => stop()));
  const { stdout } = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
  replayed = (JSON.parse(stdout) as RunRecord).report as Report;
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

async function diagnoseLive(systems: (BrokenSystem & { name: string })[], ...args: string[]) {
  const [file, listed] = [join(folder, 'shop.json'), join(folder, 'sources.yaml')];
  const nodes = systems.map(({ name, node: { selector = '*', ...node } }) => ({
    ...{ id: name, name, ...node, in: { [`${name}-source`]: selector } },
  }));
  const sources = systems.map(({ name }) => ({ id: `${name}-source`, kind: name }));
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
  const servers = systems.map(({ listed: own }, i) => ({ ...sources[i], ...own }));
  await writeFile(listed, JSON.stringify({ sources: servers })); // JSON is YAML.
  const variables = { ...PASSWORDS, SOURCES_FILE: listed };
  const ended = await startCommandWith(variables, 'src/cli/diagnose.ts', file, '--json', ...args)
    .ended;
  for (const secret of Object.values(PASSWORDS))
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  return (JSON.parse(ended.stdout) as RunRecord).report as Report;
}

const findingsOf = (report: Report, node: string) =>
  withoutRun(report).findings.filter((finding) => finding.node === node);

test.each(THERE)(
  'what is wrong with a system of $name is found live and in the capture alike',
  ({ name, finds }) => {
    const found = findingsOf(live, name);
    expect(found.map(({ title }) => title)).toContainEqual(expect.stringMatching(finds));
    expect(findingsOf(replayed, name)).toEqual(found);
  },
);

test('a capture of all kinds of sources gives an equal report', () => {
  expect(withoutRun(replayed)).toEqual(withoutRun(live));
});
