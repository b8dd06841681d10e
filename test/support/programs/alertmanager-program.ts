import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

const PROGRAM = 'prometheus-alertmanager';

/** Whether Alertmanager is installed (Debian: `apt-get install prometheus-alertmanager`). */
export function hasAlertmanager(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface Alertmanager {
  url: string;
  /** Sends alerts to it, as Prometheus does. */
  post(alerts: object[]): Promise<void>;
  stop(): Promise<void>;
}

/** A real Alertmanager that sends all alerts to a webhook, at once. */
export async function startAlertmanager(url: string, key: string): Promise<Alertmanager> {
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
  const config = join(folder, 'alertmanager.yml');
  const webhook = {
    url,
    send_resolved: true,
    http_config: { authorization: { credentials: key } },
  };
  const settings = {
    route: { receiver: 'c', group_by: ['...'], group_wait: '10ms', group_interval: '100ms' },
    receivers: [{ name: 'c', webhook_configs: [webhook] }],
  };
  await writeFile(config, JSON.stringify(settings)); // JSON is YAML.
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    PROGRAM,
    [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const base = `http://${address}`;
  await until(
    'Alertmanager is ready',
    async () => (await fetch(`${base}/-/ready`).catch(() => undefined))?.ok === true,
  );
  return {
    url: base,
    post: async (alerts) => {
      const response = await fetch(`${base}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts),
      });
      if (!response.ok) throw new Error(`Alertmanager: ${await response.text()}`);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}
