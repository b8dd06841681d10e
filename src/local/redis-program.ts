import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A way to start a Redis server on this machine. */
export type RedisProgram = { kind: 'binary'; path: string } | { kind: 'docker' };

const NAMES = ['redis-server', 'valkey-server'];
const IMAGE_HINT = 'docker run --rm -p 127.0.0.1:6379:6379 redis:7';

/**
 * Finds a Redis server, in this order: `redis-server` or `valkey-server` on the PATH; apt-get, on
 * Debian or Ubuntu as root, with a message; Docker if its engine replies.
 *
 * @throws Error with the command to run
 */
export async function findRedisProgram(say: (line: string) => void): Promise<RedisProgram> {
  const found = onPath(NAMES);
  if (found !== undefined) return { kind: 'binary', path: found };
  const tried: string[] = [];
  if (process.getuid?.() === 0 && onPath(['apt-get']) !== undefined) {
    say(
      'redis-server was not found. Installing it with apt-get (only the program, no system service).',
    );
    const failure = await installWithApt();
    const installed = onPath(NAMES);
    if (installed !== undefined) return { kind: 'binary', path: installed };
    tried.push(
      `apt-get install redis-server failed: ${failure ?? 'it installed no redis-server on the PATH'}`,
    );
  }
  if (await dockerAnswers()) return { kind: 'docker' };
  throw new Error(
    [
      `No Redis was found. Install one: ${remedy()}`,
      'Or set REDIS_URL to a running one.',
      ...tried,
    ].join('\n'),
  );
}

/** The first of these programs that is on the PATH. */
function onPath(names: readonly string[]): string | undefined {
  // Debian installs some servers in sbin, which is not on the PATH of a normal user.
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/local/bin',
    '/usr/bin',
    '/usr/sbin',
    '/opt/homebrew/bin',
  ];
  return names
    .flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The package starts a system service when it is installed and at every boot. A policy-rc.d that
 * refuses prevents the first, disabling the unit the second. An existing policy-rc.d belongs to the
 * administrator and is kept; a service that was started nevertheless is stopped.
 */
const APT_SCRIPT = `
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
apt-get update -q || true
apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 redis-server
if [ -d /run/systemd/system ]; then systemctl disable --now redis-server || true; fi
`;

/** Returns the error message of a failed installation. */
function installWithApt(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
    const apt = spawn('/bin/sh', ['-c', APT_SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (bytes: Buffer): void => void (output = (output + bytes.toString()).slice(-2000));
    apt.stdout.on('data', keep);
    apt.stderr.on('data', keep);
    apt.once('error', (error) => resolve(error.message));
    apt.once('close', (code) =>
      resolve(code === 0 ? undefined : output.trim().split('\n').slice(-3).join(' ')),
    );
  });
}

function dockerAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 5000 }, (error) =>
      resolve(error === null),
    );
  });
}

function remedy(): string {
  if (process.platform === 'darwin') return 'brew install redis';
  if (onPath(['apt-get']) !== undefined) return 'sudo apt-get install redis-server';
  if (onPath(['dnf']) !== undefined) return 'sudo dnf install redis';
  if (onPath(['apk']) !== undefined) return 'apk add redis';
  if (onPath(['pacman']) !== undefined) return 'sudo pacman -S valkey';
  return IMAGE_HINT;
}
