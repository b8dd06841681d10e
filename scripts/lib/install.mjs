import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { exclusively } from './exclusively.mjs';

/**
 * Installs the dependencies with `npm ci` if they differ from package-lock.json. `forBuild`:
 * development dependencies are needed, too; otherwise an installation by `npm ci --omit=dev`
 * suffices. Returns false and sets the exit code if npm fails.
 */
export async function ensureInstalled(root, { forBuild }) {
  if (isInstalled(root, forBuild)) return true;
  return exclusively(root, async () => {
    if (isInstalled(root, forBuild)) return true;
    console.error('Installing the dependencies (npm ci) ...');
    const started = Date.now();
    // npm writes to standard error, because standard output belongs to the command that follows
    // (`diagnose --json`).
    const code = await runChild([...npm(), 'ci', '--no-audit', '--no-fund'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    if (code === 0) console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
    else process.exitCode = code;
    return code === 0;
  });
}

/**
 * Compares npm's record of the installed packages with the lock file. It compares contents, because
 * a checkout gives every file a new time. Optional packages (for other platforms) may be missing.
 */
function isInstalled(root, withDev) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const there = installed[path];
    if (there === undefined)
      return (
        entry.optional === true || entry.devOptional === true || (entry.dev === true && !withDev)
      );
    return there.version === entry.version && there.integrity === entry.integrity;
  });
}

/** The npm that started this process, else the one on the PATH. */
function npm() {
  const own = process.env.npm_execpath;
  return own?.endsWith('.js') && existsSync(own) ? [process.execPath, own] : ['npm'];
}
