import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { readConsoleFiles } from './console-files.js';
import { serveConsole } from './serve-console.js';

const PAGE = '<script src="./assets/theme-1.js"></script><script src="./assets/app-1.js"></script>';
const CODE = 'const answer = 42;'.repeat(100);

let folder: string;
let server: Server;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'assets/app-1.js'), CODE);
  await writeFile(join(folder, 'assets/app-1.js.gz'), gzipSync(CODE));
  await writeFile(join(folder, 'assets/theme-1.js'), 'theme');
  const files = await readConsoleFiles(folder);
  if (!files) throw new Error('the console was not read');
  server = createServer(express().use(serveConsole(files)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers = {}) => fetch(url + path, { headers, redirect: 'manual' });

describe('serveConsole', () => {
  it.each([
    ['/console', 'console/assets/'],
    ['/console/', './assets/'],
    ['/console/runs', './assets/'],
    ['/console/runs/01a201bd-3687-74d1-b410-215612a2d4d0', '../assets/'],
    ['/console/a/b/c', '../../assets/'],
  ])('serves the page at %s with links to the assets', async (path, way) => {
    const response = await get(path);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(text).toContain(`src="${way}app-1.js"`);
    const link = new URL(`${way}app-1.js`, `http://host/prefix${path}`);
    expect(link.pathname).toBe('/prefix/console/assets/app-1.js');
  });

  it('redirects the root to the console behind any proxy path', async () => {
    const response = await get('/');
    expect([response.status, response.headers.get('location')]).toEqual([302, 'console']);
  });

  it('serves assets compressed and immutable', async () => {
    const response = await get('/console/assets/app-1.js');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await response.text()).toBe(CODE);
    const plain = await get('/console/assets/app-1.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await (await get('/console/assets/theme-1.js')).text()).toBe('theme');
  });

  it.each([
    '/console/assets/app-2.js',
    '/console/assets/..%2findex.html',
    '/console/assets/app-1.js.gz',
    '/console/1/2/3/4/5/6',
    '/consoles',
    '/api',
  ])('does not serve %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it.each(['/', '/console', '/console/runs/x', '/console/assets/app-1.js'])(
    'answers other methods at %s with 405 and the methods that it takes',
    async (path) => {
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
        const response = await fetch(`${url}${path}?x=1`, { method });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
        expect(await response.json()).toEqual({
          code: 'METHOD_NOT_ALLOWED',
          message: `${path} takes GET, HEAD, not ${method}`,
          data: null,
        });
      }
    },
  );

  it('leaves other methods at unknown assets to the service', async () => {
    const { status } = await fetch(`${url}/console/assets/app-2.js`, { method: 'PUT' });
    expect(status).toBe(404);
  });

  it('forbids inline script, foreign origins and frames', async () => {
    const { headers } = await get('/console/runs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });
});

describe('readConsoleFiles', () => {
  it('returns undefined if the console was not built', async () => {
    expect(await readConsoleFiles(join(folder, 'none'))).toBeUndefined();
  });
});
