import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PREFIX = 'owner-';
const ATTEMPTS = 8;

/** What a lock's socket sends to each connection. */
interface Owner {
  pid: number;
  state: 'asking' | 'holding';
}

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Another process holds the directory. */
class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';

  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(
      `${directory} is in use by ${pid === 0 ? 'another process' : `process ${pid}`}. Stop that process, or set DATA_DIR to another directory.`,
    );
  }
}

/**
 * Locks a directory until this process ends. The lock is a unix socket in the directory that this
 * process listens on. The kernel closes it with the process, so no stale lock has to be detected.
 *
 *
 * Each contender first publishes a socket with a random name and then looks for others. If it finds
 * one that listens, it withdraws. Of two contenders, at least one published before the other
 * looked, so they cannot both win. If both withdraw, each tries again after a random pause. Names
 * are never reused, so removing a closed socket cannot remove an open one.
 *
 * @throws DirectoryLockedError
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const claim = await publish(directory);
    const rival = await findRival(directory, claim.name);
    if (rival === undefined) {
      claim.owner.state = 'holding';
      return { release: claim.withdraw };
    }
    await claim.withdraw();
    if (rival.state === 'holding' || attempt === ATTEMPTS)
      throw new DirectoryLockedError(directory, rival.pid);
    await sleep(20 + Math.random() * 30 * attempt);
  }
}

async function publish(
  directory: string,
): Promise<{ name: string; owner: Owner; withdraw: () => Promise<void> }> {
  const id = randomBytes(6).toString('hex');
  const owner: Owner = { pid: process.pid, state: 'asking' };
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(owner));
  });
  server.unref();
  // The socket is bound under a name that contenders ignore and renamed once it listens, because a
  // socket that is bound but does not listen looks closed.
  await throughShortPath(directory, async (short) => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(join(short, `new-${id}`), resolve);
    });
  });
  const name = PREFIX + id;
  await rename(join(directory, `new-${id}`), join(directory, name));
  const withdraw = async (): Promise<void> => {
    await rm(join(directory, name), { force: true });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { name, owner, withdraw };
}

async function findRival(directory: string, own: string): Promise<Owner | undefined> {
  const names = (await readdir(directory)).filter(
    (name) => name.startsWith(PREFIX) && name !== own,
  );
  for (const name of names) {
    const owner = await askSocket(directory, name);
    if (owner !== undefined) return owner;
    await unlink(join(directory, name)).catch(() => undefined);
  }
  return undefined;
}

async function askSocket(directory: string, name: string): Promise<Owner | undefined> {
  const answer = await connectIn(directory, name);
  if (answer === undefined) return undefined;
  try {
    return JSON.parse(answer) as Owner;
  } catch {
    // A contender that did not send its state: it is about to withdraw, or belongs to another user.
    // Retried; if it stays, it counts as the holder.
    return { pid: 0, state: 'asking' };
  }
}

/**
 * Connects to a unix socket in a directory and reads until it closes or is silent for a second.
 * Returns undefined if no process listens. Other failures (no permission, backlog full) mean that a
 * process listens, and return an empty text.
 */
export async function connectIn(directory: string, name: string): Promise<string | undefined> {
  return throughShortPath(
    directory,
    (short) =>
      new Promise((resolve) => {
        let text = '';
        let dead = false;
        const socket = net.connect(join(short, name));
        socket.setTimeout(1000, () => socket.destroy());
        socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
        socket.on(
          'error',
          (error: NodeJS.ErrnoException) =>
            (dead = error.code === 'ECONNREFUSED' || error.code === 'ENOENT'),
        );
        socket.on('close', () => resolve(dead ? undefined : text));
      }),
  );
}

/**
 * The path of a unix socket has at most about 100 bytes, and a directory may be deeper. A symbolic
 * link in the temp folder makes the path short.
 */
async function throughShortPath<T>(
  directory: string,
  use: (short: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cns-'));
  const link = join(folder, 'd');
  try {
    await symlink(directory, link);
    return await use(link);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
