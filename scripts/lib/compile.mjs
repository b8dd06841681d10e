import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { swcOptions } from '../swc-options.mjs';

/** Cache of compiled sources, by the hash of source and compiler options. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/ts');
const COMPILER = join(import.meta.dirname, '../../node_modules/@swc/core/package.json');
const SALT = JSON.stringify([JSON.parse(readFileSync(COMPILER, 'utf8')).version, swcOptions]);
mkdirSync(CACHE, { recursive: true });

/** Compiles a TypeScript file. @returns JavaScript (ES module) with an inline source map */
export async function compile(filename) {
  const source = await readFile(filename, 'utf8');
  const name = createHash('sha1').update(`${SALT}\0${filename}\0${source}`).digest('hex');
  const file = join(CACHE, `${name}.js`);
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  // Imported only if needed: loading the compiler takes longer than reading the cache.
  const { transform } = await import('@swc/core');
  const { code } = await transform(source, {
    ...swcOptions,
    filename,
    sourceMaps: 'inline',
    swcrc: false,
  });
  // Renamed into place, because several processes may compile the same file at once.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, file);
  return code;
}
