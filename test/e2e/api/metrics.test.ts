import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { backupKey } from '../../../src/redis/keys.js';
import type { Api } from '../../support/api.js';
import { hasPrometheus } from '../../support/programs/prometheus-program.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const DEPLOY = join(import.meta.dirname, '../../../deploy');
const RULES = join(DEPLOY, 'prometheus/consilium.rules.yaml');

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ SWEEP_SECONDS: '1' });
});
afterAll(() => scene.close());

const scrape = async () => (await fetch(`${api.url}/metrics`)).text();

test('exports metrics of followers, runs and jobs', async () => {
  const topologyId = await api.store(topologyOf({ api: await httpTarget(scene.targets, silent) }));
  const followed = await api.trigger(topologyId, {});
  await api.reaches(followed.runId, 'running');

  const answer = await fetch(`${api.url}/metrics`);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await answer.text();
  expect(text).toMatch(/^consilium_followers 1$/m);
  expect(text).toMatch(/^consilium_followed_runs 1$/m);
  expect(text).toMatch(/^consilium_open_runs 1$/m);
  expect(text).toMatch(/^consilium_jobs\{queue="worker",state="active"\} \d+$/m);
  expect(text).toMatch(/^consilium_redis_up 1$/m);
  expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  await api.cancel(followed.runId);
  await followed.end();
  await until('the stream is measured', async () => {
    const found = await scrape();
    const first = /^consilium_run_first_event_seconds_count\{route=".*\/executions\/trigger"\} 1$/m;
    return first.test(found) && /^consilium_feed_lag_seconds_count [1-9]/m.test(found);
  });
});

test('counts what a run does, with bounded labels', async () => {
  const id = await api.store(topologyOf({ shop: await httpTarget(scene.targets, healthy) }));
  const runId = await api.accept(id);
  await api.reaches(runId, 'completed');
  const ended =
    /^consilium_runs_ended_total\{kind="diagnosis",status="completed",verdict="healthy",code="none"\} 1$/m;
  const text = await until('the run is counted', async () => {
    const found = await scrape();
    return ended.test(found) ? found : undefined;
  });
  for (const sample of [
    /^consilium_tool_calls_total\{tool="http_probe",status="ok"\} [1-9]/m,
    /^consilium_model_requests_total\{model="runbook",outcome="ok"\} [1-9]/m,
    /^consilium_run_duration_seconds_count\{kind="diagnosis"\} [1-9]/m,
    /^consilium_job_wait_seconds_count\{queue="worker"\} [1-9]/m,
    /^consilium_log_append_duration_seconds_count [1-9]/m,
    /^consilium_log_bytes_total [1-9]\d{3}/m,
    /^consilium_http_requests_total\{method="POST",route="\/api\/service\/v1\/executions\/trigger",status="202"\} 1$/m,
    /^consilium_oldest_waiting_seconds\{queue="worker"\} 0$/m,
    /^consilium_redis_memory_bytes\{of="used"\} [1-9]/m,
    /^consilium_redis_command_seconds_count [1-9]/m,
    /^consilium_redactions_total\{detector="named"\} \d/m,
  ])
    expect(text).toMatch(sample);
  expect(text).not.toContain(runId);
  await fetch(`${api.url}/api/service/v1/executions/${runId}/nothing`);
  await fetch(`${api.url}/no/such/path`);
  const after = await scrape();
  expect(after).not.toContain('/no/such/path');
  expect(after).not.toContain(runId);
});

test('reports when the last backup was made, once a script has recorded it', async () => {
  const { redis, prefix } = scene.redis;
  const sample = /^consilium_backup_timestamp_seconds (\S+)$/m;
  expect(await scrape()).not.toMatch(sample);
  await redis.set(backupKey(prefix), '1795650000');
  expect(sample.exec(await scrape())?.[1]).toBe('1795650000');
  await redis.set(backupKey(prefix), 'yesterday');
  expect(await scrape()).not.toMatch(sample);
});

describe('deploy', () => {
  const dashboards = readdirSync(join(DEPLOY, 'grafana'));
  const files = [...dashboards.map((name) => join(DEPLOY, 'grafana', name)), RULES];

  it('names only metrics that a scrape has', async () => {
    const text = await scrape();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = files.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/\b(?:consilium|nodejs|process)_[a-z0-9_]+/g),
    ]);
    const names = used.map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(dashboards)('has the dashboard %s with distinct panels that have queries', (name) => {
    const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana', name), 'utf8')) as {
      panels: { id: number; targets: { expr: string }[] }[];
    };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.every(({ targets }) => targets.every(({ expr }) => expr !== ''))).toBe(true);
  });

  if (hasPrometheus())
    it('has alert rules that promtool accepts and whose tests pass', () => {
      const run = (...args: string[]) =>
        execFileSync('promtool', args, { cwd: join(DEPLOY, 'prometheus'), encoding: 'utf8' });
      expect(run('check', 'rules', 'consilium.rules.yaml')).toContain('SUCCESS');
      expect(run('test', 'rules', 'consilium.rules.test.yaml')).toContain('SUCCESS');
    });
});
