// Builds what `npm pack` packs: dist/, and in packages/client/dist the client library with the
// modules and types that it imports.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';

const root = join(import.meta.dirname, '..');
const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

if (await ensureBuilt(root)) {
  const target = join(root, 'packages/client/dist');
  rmSync(target, { recursive: true, force: true });
  for (const ending of ['.js', '.d.ts'])
    for (const file of importedBy('client/index', ending)) {
      mkdirSync(dirname(join(target, file)), { recursive: true });
      cpSync(join(root, 'dist', file), join(target, file));
    }
}

/** The files below dist/ with this ending that a module imports, itself included. */
function importedBy(entry, ending) {
  const found = new Set([entry]);
  for (const name of found) {
    const path = join(root, 'dist', name + ending);
    if (!existsSync(path)) throw new Error(`${path} is missing: run \`npm run build\`.`);
    for (const [, other] of readFileSync(path, 'utf8').matchAll(IMPORT))
      found.add(normalize(join(dirname(name), other)));
  }
  return [...found].map((name) => name + ending);
}
