import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBuild } from '../from-build.mjs';
import { answers, folderOf, give, startProgram } from './start-program.mjs';

const USER = 'rabbitmq';
const AUTHORIZATION = `Basic ${Buffer.from('guest:guest').toString('base64')}`;

/**
 * A real RabbitMQ, alone in its cluster, with its management API; services speak STOMP with it. It
 * takes some twenty seconds to start.
 *
 * @param {string} program
 * @param {string} parent folder of its data
 */
export async function startRabbitmq(program, parent) {
  const { freePort } = await fromBuild('local/loopback');
  const folder = folderOf(parent, 'rabbitmq', USER);
  const ports = [];
  for (let i = 0; i < 5; i += 1) ports.push(await freePort());
  const [amqp, stomp, management, names, distribution] = ports;
  const files = {
    plugins: '[rabbitmq_management,rabbitmq_stomp].',
    'rabbitmq.conf': [
      `listeners.tcp.1 = 127.0.0.1:${amqp}`,
      `stomp.listeners.tcp.1 = 127.0.0.1:${stomp}`,
      'management.tcp.ip = 127.0.0.1',
      `management.tcp.port = ${management}`,
      // What is shown of a queue is at most this old.
      'collect_statistics_interval = 1000',
      'distribution.listener.interface = 127.0.0.1',
      '',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
    give(join(folder, name), USER);
  }
  const env = {
    HOME: folder,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: `shop-${amqp}@localhost`,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(names),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    // In place of a shell that waits for it, and would leave it behind.
    RUNNING_UNDER_SYSTEMD: '1',
  };
  // Without a name server that listens on loopback alone, the broker would start one for all
  // addresses.
  const nameServer = await startProgram({
    name: 'epmd',
    command: ['epmd', '-address', '127.0.0.1', '-port', String(names)],
    folder: parent,
    user: USER,
    isReady: async () => true,
  });
  const url = `http://127.0.0.1:${management}`;
  const headers = { authorization: AUTHORIZATION };
  const broker = await startProgram({
    name: 'rabbitmq',
    command: [program],
    env,
    folder: parent,
    user: USER,
    isReady: () => answers(`${url}/api/overview`, headers),
  }).catch(async (error) => {
    await nameServer.stop();
    throw error;
  });
  return {
    url,
    stompPort: stomp,
    async queues() {
      const answer = await fetch(`${url}/api/queues`, { headers });
      return answer.ok ? answer.json() : [];
    },
    async stop() {
      await broker.stop();
      await nameServer.stop();
    },
  };
}
