// Builds the web console into dist/console, each file also compressed. `npm run build` and the
// first start run it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Files below this do not get smaller on the wire. */
const LEAST_BYTES = 1_024;

// Vite reads it when it is loaded: with that of a test, React would be built for development, half
// as large again and slower.
process.env.NODE_ENV = 'production';
const { build } = await import('vite');

const root = join(import.meta.dirname, '..');
await build({ configFile: join(root, 'console/vite.config.js'), logLevel: 'error' });
const assets = join(root, 'dist/console/assets');
for (const name of readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name))) {
  const body = readFileSync(join(assets, name));
  if (body.length >= LEAST_BYTES)
    writeFileSync(join(assets, `${name}.gz`), gzipSync(body, { level: 9 }));
}
