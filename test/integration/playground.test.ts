import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';

// Each starts a shop of seven processes.
const SCRIPT = new URL('../../examples/playground/playground.mjs', import.meta.url).pathname;
const CA = readFileSync(new URL('../../examples/playground/certs/ca.crt', import.meta.url));

interface Shop {
  process: ChildProcess;
  file: string;
  endpoints: Record<string, string>;
}

let shop: Shop | undefined;
afterEach(async () => {
  if (shop?.process.exitCode === null && shop.process.signalCode === null) {
    shop.process.kill('SIGINT');
    await once(shop.process, 'exit');
  }
  shop = undefined;
});

/** Starts the playground as a user would, and reads the topology that it wrote. */
async function open(fault: string): Promise<Shop> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [SCRIPT, '--fault', fault], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const file = /^Topology: (.*)$/.exec(line)?.[1];
    if (file === undefined) continue;
    const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as {
      nodes: { id: string; endpoint?: string }[];
    };
    shop = {
      process: child,
      file,
      endpoints: Object.fromEntries(nodes.map(({ id, endpoint }) => [id, endpoint ?? ''])),
    };
    return shop;
  }
  throw new Error('The playground ended before it was open.');
}

/**
 * What a customer gets: status and JSON, or the code of the error. The storefront's certificate is
 * checked.
 */
function get(
  url = '',
  path = '/',
): Promise<{ status: number; body: Record<string, unknown>; text: string; ms: number } | string> {
  const began = performance.now();
  const request = url.startsWith('https:') ? tlsRequest : plainRequest;
  return new Promise((resolve) => {
    const asked = request(new URL(path, url), { agent: false, ca: CA }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
        resolve({ status: answer.statusCode ?? 0, body, text, ms: performance.now() - began });
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  });
}

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

const listeners = (endpoints: Record<string, string>) =>
  Promise.all(
    Object.values(endpoints)
      .filter((url) => url !== '')
      .map(listens),
  ).then((all) => all.filter(Boolean).length);

async function untilClosed(endpoints: Record<string, string>): Promise<void> {
  await until('no listener', async () => (await listeners(endpoints)) === 0);
}

describe('the playground', () => {
  it('sells without a fault, and every service reports that it is well', async () => {
    const { endpoints } = await open('none');
    expect(await get(endpoints['storefront'])).toMatchObject({
      status: 200,
      body: { service: 'storefront', sold: expect.any(String) },
    });
    for (const id of ['storefront', 'checkout', 'payments', 'inventory']) {
      expect(await get(endpoints[id], '/health')).toMatchObject({
        status: 200,
        body: { status: 'ok' },
      });
      const metrics = await get(endpoints[id], '/metrics');
      expect((metrics as { text: string }).text).toMatch(
        new RegExp(`http_requests_total\\{service="${id}",code="200"\\} [1-9]`),
      );
    }
  });

  it('fills Redis: payments and everything upstream of it fail', async () => {
    const { endpoints } = await open('redis-full');
    for (let second = 0; second < 3; second++, await sleep(300)) {
      const refused = expect.stringMatching(/^cannot book the payment: OOM command not allowed/);
      expect(await get(endpoints['payments'])).toMatchObject({
        status: 500,
        body: { error: refused },
      });
    }
    expect(await get(endpoints['checkout'])).toMatchObject({
      status: 502,
      body: { error: 'payments answered 500' },
    });
    expect(await get(endpoints['storefront'])).toMatchObject({
      status: 502,
      body: { error: 'checkout answered 502' },
    });
    expect(await get(endpoints['storefront'], '/health')).toMatchObject({
      status: 503,
      body: { checks: { process: 'ok' } },
    });
    expect(await get(endpoints['inventory'])).toMatchObject({ status: 200 });
    expect(await get(endpoints['payments'], '/metrics')).toMatchObject({
      text: expect.stringMatching(/http_errors_total\{service="payments"\} [1-9]/),
    });
  });

  it('slows payments and everything upstream of it', async () => {
    const { endpoints } = await open('payments-slow');
    for (const id of ['payments', 'checkout', 'storefront']) {
      const answer = (await get(endpoints[id])) as { status: number; ms: number };
      expect(answer.status).toBe(200);
      expect(answer.ms).toBeGreaterThan(1100);
    }
    expect((await get(endpoints['inventory'])) as { ms: number }).toMatchObject({ status: 200 });
  });

  it('stops the inventory', async () => {
    const { endpoints } = await open('inventory-down');
    expect(await get(endpoints['inventory'])).toBe('ECONNREFUSED');
    expect(await get(endpoints['checkout'])).toMatchObject({
      status: 502,
      body: { error: 'inventory refuses connections' },
    });
    expect(await get(endpoints['storefront'])).toMatchObject({ status: 502 });
    expect(await get(endpoints['payments'])).toMatchObject({ status: 200 });
  });

  it('gives the storefront an expired certificate and leaves the rest well', async () => {
    const { endpoints } = await open('certificate-expired');
    expect(await get(endpoints['storefront'])).toBe('CERT_HAS_EXPIRED');
    expect(await get(endpoints['checkout'])).toMatchObject({ status: 200 });
  });

  it('lets checkout crash on every order and start again', async () => {
    const { endpoints } = await open('checkout-crashing');
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await get(endpoints['checkout']));
    const started = new Set<string>();
    await until('three starts', async () => {
      const metrics = await get(endpoints['checkout'], '/metrics');
      if (typeof metrics === 'object')
        started.add(/^process_start_time_seconds\S* (\S+)/m.exec(metrics.text)?.[1] ?? '');
      return started.size === 3;
    });
    expect(await get(endpoints['storefront'])).toMatchObject({
      status: 502,
      body: { error: expect.stringMatching(/^checkout (refuses|closed) /) },
    });
    expect(await get(endpoints['payments'])).toMatchObject({ status: 200 });
  });

  it('leaves nothing after Ctrl-C', async () => {
    const { process: child, file, endpoints } = await open('checkout-crashing');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await listeners(endpoints)).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves nothing after SIGKILL', async () => {
    const { process: child, file, endpoints } = await open('redis-full');
    expect(await listeners(endpoints)).toBe(5);
    child.kill('SIGKILL');
    await untilClosed(endpoints);
    await until('the removal of its file', () => !existsSync(file));
  });

  it('lists its faults if it is given an unknown one', async () => {
    const child = spawn(process.execPath, [SCRIPT, '--fault', 'gremlins'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) lines.push(line);
    expect(lines.join('\n')).toMatch(/redis-full.*payments-slow.*none/s);
    expect(await exited).toEqual([2, null]);
  });
});
