import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from './lib/compile.mjs';

/**
 * Resolves `./x.js` to `./x.ts`: sources import each other, and start threads, by the name that the
 * build gives them.
 */
export async function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (/^file:.*\/src\/.*\.js$/.test(specifier) && !existsSync(new URL(specifier))) {
    const url = specifier.replace(/\.js$/, '.ts');
    if (existsSync(new URL(url))) return { url, format: 'module', shortCircuit: true };
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}
