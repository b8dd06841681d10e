// Builds the web console into dist/console, each file also compressed. `npm run build` and the first start run it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** Files below this do not get smaller on the wire. */
const LEAST_BYTES = 1_024;

const root = join(import.meta.dirname, '..');
await build({ configFile: join(root, 'console/vite.config.js'), logLevel: 'error' });
const assets = join(root, 'dist/console/assets');
for (const name of readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name))) {
  const body = readFileSync(join(assets, name));
  if (body.length >= LEAST_BYTES)
    writeFileSync(join(assets, `${name}.gz`), gzipSync(body, { level: 9 }));
}
