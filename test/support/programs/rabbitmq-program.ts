import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

/** The programs themselves: those of the PATH change the user. */
const PROGRAMS = '/usr/lib/rabbitmq/bin';

/** RabbitMQ's package brings a user for it. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) =>
    Number(spawnSync('id', [option, 'rabbitmq'], { encoding: 'utf8' }).stdout);
  const uid = idOf('-u');
  const gid = idOf('-g');
  return uid > 0 ? { uid, gid } : undefined;
}

/** Whether a RabbitMQ can be started (Debian: `apt-get install rabbitmq-server`). */
export const hasRabbitmq = (): boolean =>
  existsSync(join(PROGRAMS, 'rabbitmq-server')) &&
  (process.getuid?.() !== 0 || owner() !== undefined);

export interface RabbitmqProgram {
  /** Of its management API; the user is `guest`, its password too. */
  url: string;
  /** A request to the management API. @throws where it does not answer 2xx */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** Runs `rabbitmqctl`. */
  control(...args: string[]): void;
  stop(): Promise<void>;
}

/**
 * A real RabbitMQ with its management API, alone in a cluster. It takes some twenty seconds to
 * start.
 */
export async function startRabbitmq(): Promise<RabbitmqProgram> {
  const as = owner();
  const folder = mkdtempSync(join(tmpdir(), 'rabbitmq-'));
  const [amqp, management, names, distribution] = await Promise.all(
    Array.from({ length: 4 }, freePort),
  );
  writeFileSync(join(folder, 'plugins'), '[rabbitmq_management].');
  writeFileSync(
    join(folder, 'rabbitmq.conf'),
    [
      `listeners.tcp.1 = 127.0.0.1:${amqp}`,
      'management.tcp.ip = 127.0.0.1',
      `management.tcp.port = ${management}`,
      'distribution.listener.interface = 127.0.0.1',
      '',
    ].join('\n'),
  );
  if (as) {
    chownSync(folder, as.uid, as.gid);
    for (const file of ['plugins', 'rabbitmq.conf']) chownSync(join(folder, file), as.uid, as.gid);
  }
  const node = `test-${amqp}@localhost`;
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: node,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(names),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
  };
  const options = { ...as, env, cwd: folder, stdio: 'ignore' } as const;
  // Without a name server that listens on loopback alone, the broker would start one for all
  // addresses.
  const nameServer = spawn('epmd', ['-address', '127.0.0.1', '-port', String(names)], options);
  const child = spawn(join(PROGRAMS, 'rabbitmq-server'), options);
  const url = `http://127.0.0.1:${management}`;
  const authorization = `Basic ${Buffer.from('guest:guest').toString('base64')}`;
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}/api${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const control = (...args: string[]) =>
    void execFileSync(join(PROGRAMS, 'rabbitmqctl'), ['-n', node, ...args], options);
  const stop = async () => {
    const ended = once(child, 'exit');
    control('stop');
    await ended;
    nameServer.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = () =>
    ask('GET', '/overview').then(
      () => true,
      () => false,
    );
  await until('RabbitMQ is ready', isReady);
  return { url, ask, control, stop };
}
