import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { exclusively } from './exclusively.mjs';
import { ensureInstalled } from './install.mjs';

const INPUTS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
const BUILT = ['main.js', 'console/index.html'];
const FOLDERS = ['src', 'console'];

/**
 * Builds dist/ if the sources have changed since the last build. Returns false and sets the exit
 * code if the build fails.
 */
export async function ensureBuilt(root) {
  // The image contains dist/ without the sources.
  if (!existsSync(join(root, 'src')) || builtFrom(root) === fingerprint(root)) return true;
  if (!(await ensureInstalled(root, { forBuild: true }))) return false;
  return exclusively(root, async () => {
    if (builtFrom(root) === fingerprint(root)) return true;
    console.error('Building the service and the console ...');
    const started = Date.now();
    const code = await buildAll(root);
    if (code === 0) console.error(`Built in ${Math.round((Date.now() - started) / 1000)} s.`);
    else process.exitCode = code;
    return code === 0;
  });
}

/**
 * Builds the service, and the console in a process beside it: on two cores it is done before the
 * compiler is.
 * @returns an exit code
 */
export async function buildAll(root) {
  // Computed before the build, so that a file that is edited meanwhile makes the next start build
  // again.
  const sources = fingerprint(root);
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const console = join(root, 'scripts/build-console.mjs');
  const codes = await Promise.all([
    runChild([process.execPath, nest, 'build'], options),
    runChild([process.execPath, console], options),
  ]);
  const failed = codes.find((code) => code !== 0);
  if (failed === undefined) writeFileSync(join(root, 'dist/.built-from'), sources);
  return failed ?? 0;
}

/**
 * The fingerprint of the sources that dist/ was built from; undefined if there is none.
 * @internal Exported for tests.
 */
export function builtFrom(root) {
  const path = join(root, 'dist/.built-from');
  return existsSync(path) && BUILT.every((name) => existsSync(join(root, 'dist', name)))
    ? readFileSync(path, 'utf8')
    : undefined;
}

/**
 * Hash of everything that a build reads. It reads contents, because a checkout gives every file a
 * new time.
 * @internal Exported for tests.
 */
export function fingerprint(root) {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  )
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of [...INPUTS.map((name) => join(root, name)), ...sources.sort()]) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}
