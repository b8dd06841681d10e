#!/usr/bin/env node
// A small shop of real processes on loopback, with a fault in it.
//
//   node examples/playground/playground.mjs --fault redis-full
//
// prints where it listens and a topology file to diagnose it with, and runs until Ctrl-C.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { FAULTS } from './faults.mjs';
import { fillRedis } from './fill-redis.mjs';
import { startProcessManager } from './process-manager.mjs';
import { startProcess } from './processes.mjs';

export { FAULTS };

/**
 * Starts the shop and injects one fault. Resolves when the storefront shows the effect of the fault. All processes end with
 * this one.
 *
 * @param {{fault: keyof typeof FAULTS, say?: (line: string) => void}} options
 * @returns {Promise<{topology: object, stop: () => Promise<void>}>} the topology in the form of the wire, with the ports filled in
 */
export async function startPlayground({ fault, say = () => {} }) {
  const running = [];
  const stop = async () => {
    for (const part of running.splice(0).reverse()) await part.stop();
  };
  try {
    const ports = await startShop(fault, say, running);
    await untilSeen(fault, ports.STOREFRONT_PORT);
    return { topology: parse(await topologyText(ports)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `part` is added to `running` as soon as it runs, so that a later failure stops it. */
async function startShop(fault, say, running) {
  const manager = await startProcessManager();
  running.push(manager);
  const start = async ([...command], env) => {
    const part = await manager.start(command, env);
    running.push(part);
    return part;
  };
  const at = (part) => `http://127.0.0.1:${part.port}/`;

  const redis = await (
    await privateRedis()
  )({ extraArgs: ['--maxmemory', '8mb', '--maxmemory-policy', 'noeviction'], say });
  running.push(redis);
  const [payments, inventory] = await Promise.all([
    start(['payments.mjs'], { FAULT: fault, REDIS_URL: redis.url }),
    start(['inventory.mjs'], { FAULT: fault }),
  ]);
  const checkout = await start(['restarter.mjs', 'checkout.mjs'], {
    FAULT: fault,
    PAYMENTS_URL: at(payments),
    INVENTORY_URL: at(inventory),
  });
  const storefront = await start(['storefront.mjs'], { FAULT: fault, CHECKOUT_URL: at(checkout) });
  if (fault === 'redis-full') await fillRedis(redis.url);
  if (fault === 'inventory-down') await inventory.stop();
  await start(['shopper.mjs'], { STOREFRONT_URL: `https://localhost:${storefront.port}/` });
  return {
    STOREFRONT_PORT: storefront.port,
    CHECKOUT_PORT: checkout.port,
    PAYMENTS_PORT: payments.port,
    INVENTORY_PORT: inventory.port,
    REDIS_PORT: redis.port,
    RESTART_URL: manager.url,
  };
}

/** Imported from the build, or from the sources if there is no build (under test). */
async function privateRedis() {
  const missing = (error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  };
  const built = await import('../../dist/local/private-redis.js').catch(missing);
  if (built) return built.startPrivateRedis;
  register('../../scripts/ts-hooks.mjs', import.meta.url);
  const source = await import('../../src/local/private-redis.ts').catch(missing);
  if (source) return source.startPrivateRedis;
  throw new Error(
    'The playground needs the built service for its private Redis: run `npm run build` first.',
  );
}

/** Waits until the storefront shows the effect of the fault. */
async function untilSeen(fault, port) {
  const expected = FAULTS[fault].storefront;
  let seen;
  for (let tries = 0; tries < 40; tries += 1) {
    seen = await statusOf(port);
    if (seen === expected) return;
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

async function main() {
  const { values } = parseArgs({
    options: { fault: { type: 'string', default: 'redis-full' }, help: { type: 'boolean' } },
  });
  const faults = Object.entries(FAULTS).map(([name, { means }]) => `  ${name.padEnd(20)} ${means}`);
  if (values.help || !(values.fault in FAULTS)) {
    console.log(
      `Usage: node examples/playground/playground.mjs [--fault NAME]\n\nFaults:\n${faults.join('\n')}`,
    );
    process.exit(values.help ? 0 : 2);
  }
  const ended = new Promise((resolve) =>
    ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, resolve)),
  );
  const { topology, stop } = await startPlayground({
    fault: values.fault,
    say: (line) => console.error(line),
  });
  const folder = await mkdtemp(join(tmpdir(), 'consilium-playground-'));
  const janitor = await startProcess(['janitor.mjs', folder]);
  const file = join(folder, 'topology.json');
  await writeFile(file, JSON.stringify(topology, null, 2));
  console.log(`The shop runs. Fault: ${values.fault}, ${FAULTS[values.fault].means}.\n`);
  for (const node of topology.nodes)
    if (node.endpoint) console.log(`  ${node.name.padEnd(24)} ${node.endpoint}`);
  console.log(`\nTopology: ${file}\nDiagnose: npm run diagnose -- ${file}\nCtrl-C stops it.`);
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
