import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCluster } from './cluster.mjs';
import { findPrograms } from './find-programs.mjs';
import { writeLogHistory } from './log-history.mjs';
import { memoryHistory } from './memory-history.mjs';
import { startPostgres } from './postgres.mjs';
import { startPrometheus } from './prometheus.mjs';
import { startRabbitmq } from './rabbitmq.mjs';
import { makeRepository } from './repository.mjs';

const SERVICES = ['storefront', 'checkout', 'payments', 'inventory', 'orders', 'mailer'];
const MINUTE = 60_000;

/** What a part needs that is another part. */
const NEEDS = { rabbitmq: ['postgres'] };

/**
 * The real servers behind the shop: PostgreSQL, RabbitMQ, Prometheus with Alertmanager, a git
 * repository, and a recorded Kubernetes.
 */
export class FullStack {
  #running = [];
  #now = Date.now();

  /**
   * @param {{fault: string, needs?: readonly string[], folder: string, say: (line: string) => void,
   *   only?: readonly string[], alerts?: string}} options `needs`: parts without which there is no
   *   such fault; `only`: the parts to start, by default all whose programs are found; `alerts`:
   *   the service that gets the alerts
   */
  constructor({ fault, needs = [], folder, say, only, alerts }) {
    this.fault = fault;
    this.alerts = alerts;
    this.folder = folder;
    this.say = say;
    this.programs = findPrograms();
    const isFound = (part) => this.programs[part].missing === undefined;
    const isWanted = (part) => only === undefined || only.includes(part) || needs.includes(part);
    this.parts = Object.keys(this.programs).filter((part) =>
      [part, ...(NEEDS[part] ?? [])].every((each) => isFound(each) && isWanted(each)),
    );
    for (const [part, { missing }] of Object.entries(this.programs))
      if (missing) say(`Without ${part}: ${missing}.`);
    const absent = needs.filter((part) => !this.parts.includes(part));
    if (absent.length > 0) throw new Error(`The fault ${fault} needs ${absent.join(' and ')}.`);
  }

  has(part) {
    return this.parts.includes(part);
  }

  /** Starts what the services need. @returns the environment of each service, beside its own */
  async startBackEnds() {
    const { fault, folder, programs } = this;
    this.say(`Starting ${[...this.parts, 'a recorded Kubernetes'].join(', ')} …`);
    const now = this.#now;
    this.cluster = await this.#add(
      startCluster({ state: fault === 'readiness-probe' ? 'unready' : 'healthy', now }),
    );
    [this.postgres, this.rabbitmq] = await Promise.all([
      this.has('postgres') ? this.#add(startPostgres(programs.postgres.path, folder)) : undefined,
      this.has('rabbitmq') ? this.#add(startRabbitmq(programs.rabbitmq.path, folder)) : undefined,
    ]);
    const isBad = fault === 'bad-deploy';
    this.repository = this.has('git') ? makeRepository(folder, { now, isBad }) : undefined;
    this.logs = Object.fromEntries(SERVICES.map((name) => [name, join(folder, `${name}.log`)]));
    writeLogHistory(this.logs, { now, ...(isBad && { badSince: now - 10 * MINUTE }) });
    const statement = this.repository?.statement ?? new URL('insert.sql', import.meta.url).pathname;
    return {
      ...(this.postgres && { DATABASE_URL: this.postgres.url, STATEMENT: statement }),
      ...(this.rabbitmq && { STOMP_PORT: String(this.rabbitmq.stompPort) }),
    };
  }

  /** Starts what watches the services. @param manager the process manager of the shop */
  async startTelemetry(services, manager) {
    if (!this.has('prometheus')) return;
    const memoryUrl = new URL('metrics', manager.url);
    const labels = { job: 'processes', instance: memoryUrl.host, now: Date.now() };
    const leaking = this.fault === 'memory-leak' ? 'inventory' : undefined;
    const history = memoryHistory(manager.memory(), { ...labels, leaking });
    this.prometheus = await this.#add(
      startPrometheus(this.folder, { services, memoryUrl, history, alerts: this.alerts }),
    );
  }

  /** Whether the fault has lasted long enough to be told from what passes by itself. */
  async isSeen() {
    if (this.fault === 'lock-chain') {
      const [{ waits }] = await this.postgres.ask(
        `select count(*) filter (where state_change < now() - interval '6 s') as waits from pg_stat_activity where wait_event_type = 'Lock'`,
      );
      return Number(waits) > 0;
    }
    if (this.fault !== 'no-consumers') return true;
    const queues = await this.rabbitmq.queues();
    return queues.some((queue) => queue.name === 'receipts' && queue.messages_ready > 0);
  }

  /** What the topology's text names as `${NAME}`. */
  ports() {
    return {
      POSTGRES_URL: this.postgres?.monitorUrl,
      PROMETHEUS_PORT: this.prometheus?.port,
      ALERTMANAGER_PORT: this.prometheus?.alertPort,
    };
  }

  /** Writes the addresses and credentials of the sources. @returns the path of the file */
  writeSources() {
    const secret = (name, text) => {
      const path = join(this.folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return `\${file:${path}}`;
    };
    const ca = `\${file:${new URL('../certs/ca.crt', import.meta.url).pathname}}`;
    const sources = [
      {
        id: 'k8s',
        kind: 'kubernetes',
        endpoint: this.cluster.url,
        namespaces: ['shop'],
        ca,
        auth: { bearer: secret('k8s-token', this.cluster.token) },
      },
      ...Object.entries(this.logs).map(([name, path]) => ({
        id: `${name}-log`,
        kind: 'logfile',
        path,
      })),
      ...(this.repository ? [{ id: 'code', kind: 'git', path: this.repository.path }] : []),
      ...(this.rabbitmq
        ? [
            {
              id: 'mq',
              kind: 'rabbitmq',
              endpoint: this.rabbitmq.url,
              auth: { user: 'guest', password: secret('mq-password', 'guest') },
            },
          ]
        : []),
    ];
    const path = join(this.folder, 'sources.json');
    // JSON is YAML.
    writeFileSync(path, JSON.stringify({ sources }, null, 2));
    return path;
  }

  async stop() {
    for (const part of this.#running.splice(0).reverse()) await part.stop();
  }

  async #add(starting) {
    const part = await starting;
    this.#running.push(part);
    return part;
  }
}
