import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBuild } from '../from-build.mjs';
import { answers, folderOf, startProgram } from './start-program.mjs';

/** Fires for a service of which more than one request in twenty fails. */
const RULE = {
  alert: 'RequestsFail',
  expr: 'sum by (service) (rate(http_requests_total{code=~"5.."}[1m])) / sum by (service) (rate(http_requests_total[1m])) > 0.05',
  labels: { severity: 'critical' },
  annotations: { summary: 'more than 5 % of the requests fail' },
};

/**
 * A real Prometheus that scrapes the services each second, with an Alertmanager that shows its
 * alerts.
 *
 * @param {string} parent folder of its data
 * @param {{services: Record<string, {port: number, tls?: boolean}>, memoryUrl: URL, history:
 *   string, alerts?: string}} shop `memoryUrl`: where the memory of all processes is read;
 *   `history`: what was measured before, in the text format of OpenMetrics; `alerts`: the service
 *   that gets the alerts
 */
export async function startPrometheus(parent, { services, memoryUrl, history, alerts }) {
  const { freePort } = await fromBuild('local/loopback');
  const folder = folderOf(parent, 'prometheus');
  const port = await freePort();
  const alertPort = await freePort();
  const alertUrl = `http://127.0.0.1:${alertPort}`;
  const url = `http://127.0.0.1:${port}`;

  // JSON is YAML.
  const alertFile = join(folder, 'alertmanager.yml');
  writeFileSync(alertFile, JSON.stringify(routeTo(alerts)), { mode: 0o600 });
  const alertmanager = await startProgram({
    name: 'alertmanager',
    folder: parent,
    isReady: () => answers(`${alertUrl}/-/ready`),
    command: [
      'prometheus-alertmanager',
      `--config.file=${alertFile}`,
      '--cluster.listen-address=',
      `--storage.path=${join(folder, 'alerts')}`,
      `--web.listen-address=127.0.0.1:${alertPort}`,
    ],
  });

  const data = join(folder, 'data');
  const text = join(folder, 'history.om');
  writeFileSync(text, `${history}# EOF\n`);
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', text, data], {
    stdio: 'ignore',
  });
  writeFileSync(
    join(folder, 'rules.yml'),
    JSON.stringify({ groups: [{ name: 'shop', rules: [RULE] }] }),
  );
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertPort}`] }] }] },
      scrape_configs: [...Object.entries(services).map(scrapeOf), memoryOf(memoryUrl)],
    }),
  );
  const prometheus = await startProgram({
    name: 'prometheus',
    folder: parent,
    isReady: () => answers(`${url}/-/ready`),
    command: [
      'prometheus',
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--storage.tsdb.retention.time=1y',
    ],
  }).catch(async (error) => {
    await alertmanager.stop();
    throw error;
  });
  return {
    port,
    url,
    alertPort,
    async stop() {
      await prometheus.stop();
      await alertmanager.stop();
    },
  };
}

/** Sends all alerts to a service, which may start later: what it did not get is sent again. */
function routeTo(service) {
  if (service === undefined) return { route: { receiver: 'none' }, receivers: [{ name: 'none' }] };
  const key = process.env.CONSILIUM_API_KEY;
  const webhook = {
    url: new URL('/api/service/v1/alerts/alertmanager', service).href,
    ...(key && { http_config: { authorization: { credentials: key } } }),
  };
  return {
    route: { receiver: 'consilium', group_wait: '1s', group_interval: '5s' },
    receivers: [{ name: 'consilium', webhook_configs: [webhook] }],
  };
}

const scrapeOf = ([service, { port, tls }]) => ({
  job_name: service,
  honor_labels: true,
  ...(tls && { scheme: 'https', tls_config: { insecure_skip_verify: true } }),
  static_configs: [{ targets: [`localhost:${port}`], labels: { service } }],
});

/** The memory of a container is that of the service of its name. */
const memoryOf = ({ host, pathname, username, password }) => ({
  job_name: 'processes',
  metrics_path: pathname,
  basic_auth: { username, password },
  static_configs: [{ targets: [host] }],
  metric_relabel_configs: [
    { source_labels: ['container'], regex: '(.+)', target_label: 'service' },
  ],
});
