#!/usr/bin/env node
// A small shop of real processes on loopback, with a fault in it.
//
//   node examples/playground/playground.mjs --fault redis-full
//
// prints where it listens and a topology file to diagnose it with, and runs until Ctrl-C.
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { FAULTS } from './faults.mjs';
import { fillRedis } from './fill-redis.mjs';
import { fromBuild } from './from-build.mjs';
import { readTopology } from './full/read-topology.mjs';
import { FullStack } from './full/stack.mjs';
import { startProcessManager } from './process-manager.mjs';
import { startProcess } from './processes.mjs';

export { FAULTS };

/**
 * Starts the shop and injects one fault. Resolves when the storefront shows the effect of the
 * fault. All processes end with this one.
 *
 * @param {{fault: keyof typeof FAULTS, stack?: 'small' | 'full', say?: (line: string) => void,
 *   only?: readonly string[], alerts?: string}} options `stack`: by default that of the fault;
 *   `only`: the parts of the full stack to start, by default all whose programs are found;
 *   `alerts`: the URL of the service to which the Alertmanager of the full stack sends its alerts
 * @returns {Promise<{topology: object, sourcesFile?: string, stop: () => Promise<void>}>} the
 *   topology in the form of the wire, with the ports filled in; `sourcesFile`: of the full stack,
 *   what SOURCES_FILE of the service must name
 */
export async function startPlayground({ fault, stack, say = () => {}, only, alerts }) {
  const running = [];
  const stop = async () => {
    for (const part of running.splice(0).reverse()) await part.stop();
  };
  try {
    if ((stack ?? stackOf(fault)) !== 'full') {
      const { ports } = await startShop({ fault, say, running });
      await untilSeen(fault, ports.STOREFRONT_PORT);
      return { topology: parse(await topologyText(ports)), stop };
    }
    // Postgres and RabbitMQ run as other users.
    const folder = await mkdtemp(join(tmpdir(), 'consilium-shop-'));
    await chmod(folder, 0o755);
    running.push(await startProcess(['janitor.mjs', folder]));
    const { needs } = FAULTS[fault];
    const full = new FullStack({ fault, needs, folder, say, only, alerts });
    running.push(full);
    const { ports, services, manager } = await startShop({ fault, say, running, full });
    await full.startTelemetry(services, manager);
    await untilSeen(fault, ports.STOREFRONT_PORT, () => full.isSeen());
    const topology = readTopology({ ...ports, ...full.ports() }, full.parts);
    return { topology, sourcesFile: full.writeSources(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The stack that a fault needs. */
export const stackOf = (fault) => (FAULTS[fault].needs === undefined ? 'small' : 'full');

/** `part` is added to `running` as soon as it runs, so that a later failure stops it. */
async function startShop({ fault, say, running, full }) {
  const back = (await full?.startBackEnds()) ?? {};
  const manager = await startProcessManager();
  running.push(manager);
  const start = async ([...command], env) => {
    const name = command.at(-1).replace('.mjs', '');
    const log = full && { LOG_FILE: full.logs[name] };
    const part = await manager.start(command, { FAULT: fault, ...log, ...back, ...env });
    running.push(part);
    return part;
  };
  const at = (part) => `http://127.0.0.1:${part.port}/`;
  const has = (part) => full?.has(part) === true;

  const { startPrivateRedis } = await fromBuild('local/private-redis');
  const redis = await startPrivateRedis({
    extraArgs: ['--maxmemory', '8mb', '--maxmemory-policy', 'noeviction'],
    say,
  });
  running.push(redis);
  if (fault === 'pool-exhausted') await start(['reports.mjs']);
  const [payments, inventory, orders, mailer] = await Promise.all([
    start(['payments.mjs'], { REDIS_URL: redis.url }),
    start(['inventory.mjs']),
    has('postgres') ? start(['orders.mjs']) : undefined,
    has('rabbitmq') ? start(['mailer.mjs']) : undefined,
  ]);
  const checkout = await start(['restarter.mjs', 'checkout.mjs'], {
    PAYMENTS_URL: at(payments),
    INVENTORY_URL: at(inventory),
    ...(orders && { ORDERS_URL: at(orders) }),
  });
  const storefront = await start(['storefront.mjs'], { CHECKOUT_URL: at(checkout) });
  if (fault === 'redis-full') await fillRedis(redis.url);
  if (fault === 'inventory-down') await inventory.stop();
  if (fault === 'lock-chain') await start(['migration.mjs']);
  await start(['shopper.mjs'], { STOREFRONT_URL: `https://localhost:${storefront.port}/` });
  const services = { storefront, checkout, payments, inventory, orders, mailer };
  const started = Object.entries(services).filter(([, part]) => part !== undefined);
  return {
    ports: {
      ...Object.fromEntries(
        started.map(([name, { port }]) => [`${name.toUpperCase()}_PORT`, port]),
      ),
      REDIS_PORT: redis.port,
      RESTART_URL: manager.url,
    },
    services: Object.fromEntries(
      started.map(([name, { port }]) => [name, { port, tls: name === 'storefront' }]),
    ),
    manager,
  };
}

/** Waits until the storefront shows the effect of the fault, and until `isSeen`. */
async function untilSeen(fault, port, isSeen = async () => true) {
  const expected = FAULTS[fault].storefront;
  let seen;
  for (let tries = 0; tries < 80; tries += 1) {
    seen = await statusOf(port);
    if (seen === expected && (await isSeen())) return;
    await sleep(250);
  }
  throw new Error(
    `The storefront should return ${expected} with the fault ${fault} and returns ${seen}.`,
  );
}

function statusOf(port) {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(10_000),
    };
    const asked = request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', (error) => resolve(error.message));
    asked.end();
  });
}

/** The topology's text, with the ports in place of `${NAME}`. */
async function topologyText(ports) {
  const template = await readFile(new URL('topology.yaml', import.meta.url), 'utf8');
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(ports[name]));
}

const USAGE = `Usage: node examples/playground/playground.mjs [--fault NAME] [--stack small|full] [--only postgres,rabbitmq,prometheus,git]
         [--alerts URL]

  --only NAMES   the parts of the full stack to start (default: all whose programs are found)
  --alerts URL   the service to which the Alertmanager of the full stack sends its alerts`;

async function main() {
  const { values } = parseArgs({
    options: {
      fault: { type: 'string', default: 'redis-full' },
      stack: { type: 'string' },
      only: { type: 'string' },
      alerts: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const faults = Object.entries(FAULTS).map(([name, { means }]) => `  ${name.padEnd(20)} ${means}`);
  const isStack = [undefined, 'small', 'full'].includes(values.stack);
  const isAddress = values.alerts === undefined || URL.canParse(values.alerts);
  if (values.help || !isStack || !isAddress || !(values.fault in FAULTS)) {
    console.log(`${USAGE}\n\nFaults:\n${faults.join('\n')}`);
    process.exit(values.help ? 0 : 2);
  }
  const ended = new Promise((resolve) =>
    ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, resolve)),
  );
  const { topology, sourcesFile, stop } = await startPlayground({
    fault: values.fault,
    stack: values.stack ?? (values.alerts === undefined ? undefined : 'full'),
    only: values.only?.split(','),
    alerts: values.alerts,
    say: (line) => console.error(line),
  });
  const folder = await mkdtemp(join(tmpdir(), 'consilium-playground-'));
  const janitor = await startProcess(['janitor.mjs', folder]);
  const file = join(folder, 'topology.json');
  await writeFile(file, JSON.stringify(topology, null, 2));
  console.log(`The shop runs. Fault: ${values.fault}, ${FAULTS[values.fault].means}.\n`);
  for (const node of topology.nodes)
    if (node.endpoint) console.log(`  ${node.name.padEnd(24)} ${node.endpoint}`);
  const variables = sourcesFile === undefined ? '' : `SOURCES_FILE=${sourcesFile} `;
  const serve = values.alerts ? `Serve: ${variables}TOPOLOGIES_DIR=${folder} npm start\n` : '';
  console.log(
    `\nTopology: ${file}\n${serve}Diagnose: ${variables}npm run diagnose -- ${file}\nCtrl-C stops it.`,
  );
  await ended;
  await stop();
  await janitor.stop();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
