import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '../../scripts/lib/compile.mjs';

const ROOT = join(import.meta.dirname, '../..');
const BUILDS = join(ROOT, 'node_modules/.cache/test-builds');
const KEPT_MS = 24 * 3_600_000;

/** Programs of threads. Unit tests need no other program. */
const THREADS = [
  'src/sources/mysql/mysql-thread.ts',
  'src/sources/postgres/postgres-thread.ts',
  'src/tools/rank-root-causes/ranking-thread.ts',
  'src/topologies/parsing-thread.ts',
];
/** What tests load or start as a program. */
const ENTRIES = [
  ...THREADS,
  'src/main.ts',
  ...[
    'approve',
    'capture',
    'consilium',
    'demo',
    'diagnose',
    'discover',
    'doctor',
    'restore',
    'evaluate',
    'keys',
    'mcp',
  ].map((name) => `src/cli/${name}.ts`),
  'src/client/index.ts',
  'src/local/private-redis.ts',
  'src/models/calls/model-limiter.ts',
  'src/redis/connect.ts',
  'test/faults/leaks.ts',
  'test/faults/node.ts',
  'test/setup/parts.ts',
];

/**
 * Bundles the service with its dependencies, unless these sources have been bundled before. A
 * process starts from the bundle in a third of the time that it needs to load 2,000 files.
 * @returns the folder of the bundle: `src/main.ts` is `src/main.mjs` in it
 */
export const buildForTests = () => bundle('service', ENTRIES);

/** Bundles the programs of threads alone. @returns the folder of the bundle */
export const buildThreads = () => bundle('threads', THREADS);

async function bundle(name, entries) {
  const folder = join(BUILDS, `${name}-${fingerprint()}`);
  if (existsSync(folder)) return folder;
  const { build } = await import('esbuild');
  const draft = `${folder}.${process.pid}`;
  await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outbase: ROOT,
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // As Node resolves; by default esbuild prefers sources for browsers' bundlers.
    conditions: ['node'],
    mainFields: ['main'],
    logLevel: 'error',
    // Decorators need it before anything else; the order of chunks is not that of the imports.
    external: ['reflect-metadata'],
    banner: {
      js: "import 'reflect-metadata'; import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [{ name: 'sources', setup: (build) => asNodeLoadsThem(build, folder) }],
  });
  removeOld();
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error; // Another process has built the same meanwhile.
  }
  return folder;
}

/**
 * TypeScript is compiled as everywhere else, every file finds its own place, and an optional
 * package may be missing.
 */
function asNodeLoadsThem({ onLoad, onResolve, resolve }, folder) {
  onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
    contents: placed(await compile(path), path, folder),
  }));
  onLoad({ filter: /\.(js|cjs|mjs)$/ }, async ({ path }) => ({
    contents: placed(await readFile(path, 'utf8'), path, folder),
  }));
  onResolve({ filter: /.*/ }, async ({ path, kind, pluginData, ...from }) => {
    if (
      pluginData === 'asked' ||
      !['require-call', 'require-resolve', 'dynamic-import'].includes(kind)
    )
      return;
    const found = await resolve(path, { ...from, kind, pluginData: 'asked' });
    return found.errors.length > 0 ? { path, external: true } : found;
  });
}

/**
 * A source with the names of its file and folder as they are, although it becomes part of another
 * file. The program of a thread is an entry of the bundle.
 */
function placed(source, path, folder) {
  const names = /\b__(dir|file)name\b/.test(source)
    ? `var __filename = ${JSON.stringify(path)}, __dirname = ${JSON.stringify(dirname(path))};`
    : '';
  return (
    names +
    source
      .replaceAll(/new URL\((['"])\.\/([\w-]+)\.js\1, import\.meta\.url\)/g, (whole, _, name) => {
        const entry = relative(ROOT, join(dirname(path), name));
        return ENTRIES.includes(`${entry}.ts`)
          ? `new URL(${JSON.stringify(pathToFileURL(join(folder, `${entry}.mjs`)).href)})`
          : whole;
      })
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
  );
}

/** Hash of everything that the bundle is made from. */
function fingerprint() {
  const sources = ['src', 'test/faults', 'test/setup', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const hash = createHash('sha256').update(ROOT);
  for (const path of [join(ROOT, 'package-lock.json'), ...sources.sort()])
    hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function removeOld() {
  mkdirSync(BUILDS, { recursive: true });
  for (const name of readdirSync(BUILDS))
    if (Date.now() - statSync(join(BUILDS, name)).mtimeMs > KEPT_MS)
      rmSync(join(BUILDS, name), { recursive: true, force: true });
}
