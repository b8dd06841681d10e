import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import { type BrokenSystem, PASSWORDS } from '../../support/incidents/broken-system.js';
import { BROKEN } from '../../support/incidents/broken-systems.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { withoutRun } from '../../support/incidents/without-run.js';

type Named = BrokenSystem & { name: string };

async function countsOf(systems: Named[]) {
  const counts = systems.map(async ({ name, asked }) => [name, (await asked?.()) ?? 0] as const);
  return new Map(await Promise.all(counts));
}

async function diagnoseLive(folder: string, systems: Named[], ...args: string[]) {
  const file = join(folder, 'shop.json');
  const listed = join(folder, 'sources.yaml');
  const nodes = systems.map(({ name, node: { selector = '*', ...node } }) => ({
    id: name,
    name,
    ...node,
    in: { [`${name}-source`]: selector },
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

// Kinds of sources whose programs are not installed are left out.
const GROUPS = BROKEN.map((group) => group.filter(({ isThere }) => isThere())).map((group) => ({
  group,
  kinds: group.map(({ name }) => name).join(', '),
}));

describe.each(GROUPS)('a system of $kinds', ({ group }) => {
  let folder = '';
  let live: Report;
  /** How many questions reached each server in one diagnosis. */
  let asked: Map<string, number>;
  let replayed: Report;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consilium-sources-'));
    await mkdir(join(folder, 'journal'));
    const systems = await Promise.all(
      group.map(async ({ name, start }) => ({ name, ...(await start(folder)) })),
    );
    const before = await countsOf(systems);
    await diagnoseLive(folder, systems);
    const after = await countsOf(systems);
    asked = new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
    const bundle = join(folder, 'bundle');
    live = await diagnoseLive(folder, systems, '--capture', bundle);
    await Promise.all(systems.map(({ stop }) => stop()));
    const { stdout } = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
    replayed = (JSON.parse(stdout) as RunRecord).report as Report;
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  test.each(group)(
    'what is wrong with the $name is found live and in the capture alike',
    ({ name, finds }) => {
      const found = findingsOf(live, name);
      expect(found.map(({ title }) => title)).toContainEqual(expect.stringMatching(finds));
      expect(findingsOf(replayed, name)).toEqual(found);
    },
  );

  test('a capture gives an equal report', () => {
    expect(withoutRun(replayed)).toEqual(withoutRun(live));
  });

  test.each(group.filter(({ most }) => most !== undefined))(
    'a diagnosis asks the $name at most $most times',
    ({ name, most }) => {
      expect(asked.get(name)).toBeGreaterThan(0);
      expect(asked.get(name)).toBeLessThanOrEqual(most ?? 0);
    },
  );
});
