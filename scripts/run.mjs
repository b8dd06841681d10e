// `node scripts/run.mjs
// demo|test|start|diagnose|approve|capture|discover|doctor|restore|evaluate|mcp [arguments]`:
// implements the npm scripts of those names. It uses plain Node, so that it runs in a fresh clone:
// it installs and builds what is missing or out of date, and then does the work.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { runChild } from './lib/child.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { endWithParent } from './lib/parent.mjs';

const root = join(import.meta.dirname, '..');
const TARGETS = {
  start: 'dist/main.js',
  demo: 'dist/cli/demo.js',
  diagnose: 'dist/cli/diagnose.js',
  approve: 'dist/cli/approve.js',
  capture: 'dist/cli/capture.js',
  discover: 'dist/cli/discover.js',
  doctor: 'dist/cli/doctor.js',
  restore: 'dist/cli/restore.js',
  mcp: 'dist/cli/mcp.js',
  evaluate: 'dist/cli/evaluate.js',
};

const [task, ...args] = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Consilium needs Node 20.19 or later; this is ${process.version} (${process.execPath}).`);
} else if (task !== 'test' && !Object.hasOwn(TARGETS, task ?? '')) {
  fail(
    'Usage: node scripts/run.mjs demo|test|start|diagnose|approve|capture|discover|doctor|restore|evaluate|mcp [arguments]',
  );
} else {
  // If npm started this process and ends, the user wants this process to end, too.
  if (process.env.npm_lifecycle_event !== undefined) endWithParent();
  await (task === 'test' ? test() : serve(TARGETS[task]));
}

async function serve(target) {
  if (!(await ensureInstalled(root, { forBuild: false }))) return;
  if (!(await ensureBuilt(root))) return;
  if (task === 'start') readDotEnv();
  // A closed terminal ends the service as cleanly as SIGTERM does.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
  // The target runs in this process, so that it receives signals and the terminal itself and cannot
  // be orphaned.
  const path = join(root, target);
  process.argv = [process.argv[0], path, ...args];
  await import(pathToFileURL(path).href);
}

async function test() {
  if (!(await ensureInstalled(root, { forBuild: true }))) return;
  const { REDIS_URL: _theirs, ...env } = process.env;
  // Jest needs an experimental flag for ES modules. Its workers get the flag from NODE_OPTIONS.
  env.NODE_OPTIONS = [
    env.NODE_OPTIONS,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ]
    .filter(Boolean)
    .join(' ');
  const endsWithParent = pathToFileURL(join(root, 'scripts/lib/end-with-parent.mjs')).href;
  // What the tests leave in the folder for temporary files is removed with it.
  env.TMPDIR = mkdtempSync(join(tmpdir(), 'consilium-tests-'));
  // A PostgreSQL that a test starts runs as another user than root, and must reach its folder.
  chmodSync(env.TMPDIR, 0o711);
  process.on('exit', () => rmSync(env.TMPDIR, { recursive: true, force: true }));
  process.exitCode = await runChild(
    [
      process.execPath,
      '--import',
      endsWithParent,
      join(root, 'node_modules/jest/bin/jest.js'),
      ...args,
    ],
    {
      cwd: root,
      env,
      stdio: 'inherit',
    },
  );
}

/** Variables that are already set take precedence, as with docker compose. */
function readDotEnv() {
  const path = join(root, '.env');
  if (!existsSync(path)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(path, 'utf8'))))
    process.env[name] ??= value;
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
