import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectIn, lockDirectory, type DirectoryLock } from './directory-lock.js';
import { startGuarded, type GuardedProcess } from './guarded-process.js';
import { askRedis, freePort } from './loopback.js';
import { findRedisProgram, type RedisProgram } from './redis-program.js';

export interface PrivateRedisOptions {
  /**
   * Directory of its data, with an append-only file. Default: a temp folder that is removed when
   * the server stops.
   */
  dir?: string;
  /** Prints a line of progress. */
  say?: (line: string) => void;
  /** Default: a free port. */
  port?: number;
  /** Whether the server requires a password, which only the returned URL holds. Default: false. */
  secured?: boolean;
  /** Extra arguments for the server, after the built-in ones: `['--maxmemory', '8mb']`. */
  extraArgs?: readonly string[];
}

export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  /** Resolves with the reason if the server ended unexpectedly and could not be restarted. */
  readonly lost: Promise<string>;
  /** Stops the server and waits until its data is on disk. Idempotent. */
  stop(): Promise<void>;
}

/** Restarts within a minute before the server counts as lost. */
const MOST_RESTARTS = 5;

const PORT_ATTEMPTS = 5;
const SOCKET = 'redis.sock';
const CONFIG_FILE = 'redis.conf';
/** The default of `appenddirname`. */
const APPEND_ONLY = 'appendonlydir';

/**
 * Returns `given` if it is not empty, with a `stop` that does nothing. Otherwise starts a private
 * Redis.
 */
export async function redisUrlOrPrivate(
  given: string | undefined,
  options: PrivateRedisOptions = {},
): Promise<Omit<PrivateRedis, 'port'>> {
  if (given !== undefined && given !== '')
    return { url: given, lost: new Promise(() => undefined), stop: async () => undefined };
  return startPrivateRedis({ ...options, secured: true });
}

/**
 * Starts a Redis on loopback that belongs to this process and ends with it, even after a crash or
 * SIGKILL. Ctrl-C does not reach it, so that it stays up while its owner shuts down. It evicts
 * nothing (`noeviction`, which BullMQ requires). A data directory has one owner at a time.
 *
 * @throws DirectoryLockedError if another process holds the directory; Error with the command to
 *   run if no Redis was found
 */
export async function startPrivateRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const say = options.say ?? (() => undefined);
  const program = await findRedisProgram(say);
  const home = await openHome(options.dir);
  try {
    const password = options.secured === true ? randomBytes(24).toString('hex') : undefined;
    const first = await startOnFreePort(program, home, { ...options, password });
    const { port } = first;
    say(`Redis: private, on 127.0.0.1:${port}${home.keeps ? `, data in ${home.dir}` : ''}.`);
    const kept = keepRunning(first.server, home, say, async () => {
      const again = await startOnFreePort(program, home, { ...options, password, port });
      return again.server;
    });
    const stop = async (): Promise<void> => {
      await kept.stop();
      await home.close();
    };
    const signIn = password === undefined ? '' : `:${password}@`;
    return { url: `redis://${signIn}127.0.0.1:${port}`, port, lost: kept.lost, stop };
  } catch (error) {
    await home.close();
    throw error;
  }
}

/** Restarts a server that ended unexpectedly, if its data is kept. */
function keepRunning(
  first: GuardedProcess,
  { keeps, dir }: Home,
  say: (line: string) => void,
  start: () => Promise<GuardedProcess>,
): { lost: Promise<string>; stop: () => Promise<void> } {
  let server = first;
  let starting = Promise.resolve(first);
  let stopping = false;
  const restarts: number[] = [];
  const watch = async (): Promise<string> => {
    for (;;) {
      const code = await server.ended;
      // Stopped on purpose: never resolves.
      if (stopping) return new Promise(() => undefined);
      const ended = `The private Redis ended unexpectedly (exit code ${code})`;
      if (!keeps) return `${ended}. Its data is lost.`;
      const now = performance.now();
      if (restarts.push(now) > MOST_RESTARTS && now - (restarts.shift() ?? now) < 60_000)
        return `${ended} too often. Its log is ${join(dir, 'redis.log')}.`;
      say(`${ended}. Restarting it with its data in ${dir}.`);
      starting = start();
      try {
        server = await starting;
      } catch (error) {
        return `${ended} and could not be restarted: ${String(error)}`;
      }
    }
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    await starting.then((started) => started.stop()).catch(() => undefined);
    await server.stop();
  };
  return { lost: watch(), stop };
}

interface Home {
  dir: string;
  keeps: boolean;
  close(): Promise<void>;
}

async function openHome(dir: string | undefined): Promise<Home> {
  if (dir === undefined) {
    const scratch = await mkdtemp(join(await realpath(tmpdir()), 'consilium-redis-'));
    return {
      dir: scratch,
      keeps: false,
      close: () => rm(scratch, { recursive: true, force: true }),
    };
  }
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const real = await realpath(dir);
  const lock: DirectoryLock = await lockDirectory(real);
  // Earlier versions let every user of the machine read it.
  await chmod(join(real, APPEND_ONLY), 0o700).catch(() => undefined);
  // The previous owner may be dead while its Redis still writes. Two servers on one append-only
  // file destroy it.
  const deadline = Date.now() + 15_000;
  while ((await connectIn(real, SOCKET)) !== undefined) {
    if (Date.now() > deadline) {
      await lock.release();
      throw new Error(`A Redis whose owner has ended still uses ${real}. Stop it and try again.`);
    }
    await sleep(50);
  }
  return { dir: real, keeps: true, close: () => lock.release() };
}

async function startOnFreePort(
  program: RedisProgram,
  home: Home,
  options: PrivateRedisOptions & { password: string | undefined },
): Promise<{ server: GuardedProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    // For each attempt, because the guard of a failed one removes the scratch folder.
    await mkdir(home.dir, { recursive: true, mode: 0o700 });
    const { password } = options;
    if (password !== undefined)
      await writeFile(join(home.dir, CONFIG_FILE), `requirepass ${password}\n`, { mode: 0o600 });
    const log = await open(join(home.dir, 'redis.log'), 'w+', 0o600);
    try {
      const outcome = await launchAndWait(program, home, {
        port,
        password,
        output: log.fd,
        extraArgs: options.extraArgs ?? [],
      });
      if (typeof outcome !== 'string') return { server: outcome, port };
      // Read through the open file: its name may have been removed.
      const output = (await log.read({ buffer: Buffer.alloc(65_536), position: 0 })).buffer
        .toString()
        .replaceAll('\0', '')
        .trim();
      const portTaken = /address already in use|port is already allocated/i.test(output);
      if (portTaken && options.port === undefined && attempt < PORT_ATTEMPTS) continue;
      throw new Error(`The private Redis ${outcome}.\n${output.split('\n').slice(-5).join('\n')}`);
    } finally {
      await log.close();
    }
  }
}

interface Launch {
  port: number;
  /** Written to the configuration file: arguments of a process are no secret. */
  password: string | undefined;
  output: number;
  extraArgs: readonly string[];
}

/** Returns the running server, or why it did not start. */
async function launchAndWait(
  program: RedisProgram,
  home: Home,
  launch: Launch,
): Promise<GuardedProcess | string> {
  // Identifies this server, because another program may have bound the port first.
  const token = `dump-${randomBytes(8).toString('hex')}.rdb`;
  const server = start(program, home, launch, token);
  const gone = new AbortController();
  void server.ended.then(() => gone.abort());
  const ready = await waitUntilReady(launch, token, gone.signal);
  if (ready) return server;
  const outcome = gone.signal.aborted
    ? `ended during start (exit code ${await server.ended})`
    : 'did not reply in time';
  await server.stop();
  return outcome;
}

function start(
  program: RedisProgram,
  home: Home,
  { port, password, output, extraArgs }: Launch,
  token: string,
): GuardedProcess {
  const durability = home.keeps
    ? ['--appendonly', 'yes', '--appendfsync', 'everysec']
    : ['--appendonly', 'no'];
  const common = [
    '--save',
    '',
    ...durability,
    '--maxmemory-policy',
    'noeviction',
    '--dbfilename',
    token,
    ...extraArgs,
  ];
  const scratch = home.keeps ? {} : { scratchDir: home.dir };
  if (program.kind === 'binary') {
    const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', home.dir];
    const socket = home.keeps ? ['--unixsocket', SOCKET, '--unixsocketperm', '700'] : [];
    const config = password === undefined ? [] : [join(home.dir, CONFIG_FILE)];
    return startGuarded([program.path, ...config, ...place, ...socket, ...common], {
      output,
      ...scratch,
    });
  }
  const container = `consilium-${token.slice(5, 21)}`;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const run = [
    'docker',
    'run',
    '--rm',
    '--name',
    container,
    '--user',
    user,
    '-p',
    `127.0.0.1:${port}:6379`,
    '-v',
    `${home.dir}:/data`,
  ];
  const config = password === undefined ? [] : [`/data/${CONFIG_FILE}`];
  return startGuarded([...run, 'redis:7', 'redis-server', ...config, ...common], {
    output,
    container,
    ...scratch,
  });
}

/**
 * Returns true when the server with this token replies and has loaded its data. Docker may have to
 * pull an image first.
 */
async function waitUntilReady(
  { port, password }: Launch,
  token: string,
  gone: AbortSignal,
): Promise<boolean> {
  const deadline = Date.now() + 300_000;
  while (Date.now() < deadline && !gone.aborted) {
    const answer = await askRedis(port, 'CONFIG GET dbfilename', password);
    if (
      answer?.includes(token) === true &&
      (await askRedis(port, 'PING', password))?.startsWith('+PONG') === true
    )
      return true;
    await sleep(10);
  }
  return false;
}
