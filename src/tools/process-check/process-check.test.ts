import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { until } from '../../../test/support/until.js';
import type { JsonObject } from '../../lib/json.js';
import { PROBE_POLICY } from '../probe-policy.js';
import { processCheck } from './process-check.js';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const gone = once(child, 'exit');
    if (child.kill('SIGKILL')) await gone;
  }
});

const look = async (attributes: JsonObject) =>
  expectSound(
    await processCheck.run({ node: 'target' }, contextOf(nodeOf('process', undefined, attributes))),
  );
async function start(command: string, args: string[], argv0 = command): Promise<number> {
  const child = spawn(command, args, { argv0, stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

/** Looks until a process is not well: a signal takes effect after it was sent. */
const issuesOf = (pid: number) =>
  until('an issue of the process', async () => {
    const { issues } = await look({ pid });
    return issues.length > 0 && issues;
  });

test.each([
  [{ process: 'nginx' }, true],
  [{ pid: 7 }, true],
  [{ pid: -1 }, false],
  [{ process: '' }, false],
  [{}, false],
])('applies to a process with %j: %s', (attributes, expected) => {
  expect(processCheck.appliesTo(nodeOf('process', undefined, attributes))).toBe(expected);
});

test('M4: refuses to look at processes if local probes are off', () => {
  const deniedBy = (localProbes: boolean) =>
    processCheck.denied?.(nodeOf('process', undefined, { pid: 1 }), {
      ...PROBE_POLICY,
      localProbes,
    });
  expect(deniedBy(false)).toMatchObject({ field: 'kind', error: { code: 'FORBIDDEN' } });
  expect(deniedBy(true)).toBeUndefined();
});

test('a process that runs, by pid and by name', async () => {
  const name = `consilium-sleeper-${process.pid}`;
  const pid = await start('sleep', ['61.5'], name);
  const byPid = await look({ pid });
  expect(byPid).toMatchObject({
    status: 'ok',
    measurements: { running: 1, instances: [{ pid, name: 'sleep', parent_pid: process.pid }] },
  });
  expect((byPid.measurements['instances'] as JsonObject[])[0]?.['rss_bytes']).toBeGreaterThan(
    100_000,
  );
  expect(await look({ process: name })).toMatchObject({
    status: 'ok',
    measurements: { instance_count: 1, instances: [{ pid }] },
  });
});

test('a name that no process has', async () => {
  expect(await look({ process: 'consilium-no-such-process' })).toMatchObject({
    status: 'failed',
    summary: 'process consilium-no-such-process is not running',
    issues: [{ severity: 'critical', symptom: 'unreachable' }],
  });
});

test('a script is found by its name, and its processor use is measured', async () => {
  const script = join(tmpdir(), `consilium-busy-${process.pid}`);
  await writeFile(script, 'while :; do :; done');
  try {
    const pid = await start('sh', [script]);
    // On a busy machine it may get no time while it is looked at.
    await until('time of the processor', async () => {
      const result = await look({ process: basename(script) });
      expect(result).toMatchObject({ status: 'ok', measurements: { instances: [{ pid }] } });
      const [instance] = result.measurements['instances'] as JsonObject[];
      return (instance?.['cpu_percent'] as number) > 0;
    });
  } finally {
    await rm(script);
  }
});

test('a process that is stopped, and one that has gone', async () => {
  const pid = await start('sleep', ['61.5']);
  process.kill(pid, 'SIGSTOP');
  expect(await issuesOf(pid)).toMatchObject([
    { severity: 'critical', symptom: 'unreachable', title: `process pid ${pid} is stopped` },
  ]);
  const gone = once(children[0] as ChildProcess, 'exit');
  process.kill(pid, 'SIGKILL');
  await gone;
  expect(await issuesOf(pid)).toMatchObject([{ title: `process pid ${pid} is not running` }]);
});

test('a zombie', async () => {
  // The shell starts a child and becomes a program that never collects it.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(await issuesOf(pid)).toMatchObject([
    { severity: 'critical', title: `process pid ${pid} is a zombie` },
  ]);
});

test('stops when its signal fires', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  setTimeout(() => controller.abort(reason), 20);
  await expect(
    processCheck.run(
      { node: 'target' },
      contextOf(nodeOf('process', undefined, { pid: process.pid }), { signal: controller.signal }),
    ),
  ).rejects.toBe(reason);
});
