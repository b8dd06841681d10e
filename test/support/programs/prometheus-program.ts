import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Series } from '../../../src/domain/telemetry/records.js';
import { until } from '../until.js';

/** Whether Prometheus and its tool are installed (Debian: `apt-get install prometheus`). */
export function hasPrometheus(): boolean {
  try {
    for (const program of ['prometheus', 'promtool'])
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * A real Prometheus that holds these series as its history; by default, it scrapes nothing and has
 * no rules.
 */
export async function startPrometheus(
  series: readonly Series[],
  { config: settings = { scrape_configs: [] }, rules }: { config?: object; rules?: object } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const text = join(folder, 'history.om');
  await writeFile(text, openMetrics(series));
  const data = join(folder, 'data');
  if (series.length > 0)
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', text, data], {
      stdio: 'ignore',
    });
  const config = join(folder, 'prometheus.yml');
  if (rules) await writeFile(join(folder, 'rules.yml'), JSON.stringify(rules));
  const ruleFiles = rules ? { rule_files: ['rules.yml'] } : {};
  await writeFile(config, JSON.stringify({ ...settings, ...ruleFiles }));
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--storage.tsdb.retention.time=100y',
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  await until(
    'Prometheus is ready',
    async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true,
  );
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

const openMetrics = (series: readonly Series[]): string => {
  const lines = series.flatMap(({ name, labels, times, values }) => {
    const list = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return times.map((at, i) => `${name}{${list.join(',')}} ${values[i]} ${at / 1_000}\n`);
  });
  return `${lines.join('')}# EOF\n`;
};

/** A port that was free a moment ago, for programs that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
