import { spawn, type ChildProcess } from 'node:child_process';

/**
 * The guard: a shell script that starts a program and ends it when the guard's standard input
 * closes. Other users cannot read its files. Only this process holds the writing end of that pipe,
 * and the kernel closes it however this process ends, including SIGKILL. POSIX sh (dash, busybox,
 * macOS).
 *
 * $1: directory to remove at the end, or empty. $2: container to remove at the end, or empty. The
 * rest is the program.
 */
const GUARD = `
scratch=$1; container=$2; shift 2
umask 077
trap '' HUP INT
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
trap 'kill -TERM "$child"' TERM
(
  trap - TERM
  read -r _ <&3
  kill -TERM "$child"
  tries=0
  while [ "$tries" -lt 50 ] && kill -0 "$child"; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$child"
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$child"; code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
kill -TERM "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
if [ -n "$container" ]; then docker rm --force "$container" >/dev/null 2>&1; fi
if [ -n "$scratch" ]; then rm -rf "$scratch"; fi
exit "$code"
`;

export interface GuardedProcess {
  /**
   * Resolves when the program and its guard have ended, with the program's exit code (128 + n after
   * signal n).
   */
  readonly ended: Promise<number>;
  /** Ends the program (SIGTERM, after 5 s SIGKILL) and waits for its end. */
  stop(): Promise<void>;
}

export interface GuardOptions {
  /** File descriptor for standard output and standard error. */
  output: number;
  /** Removed when the program has ended. */
  scratchDir?: string;
  /** Docker container removed when the program has ended, in case its client was killed. */
  container?: string;
}

/**
 * Starts a program that cannot outlive this process. It runs in its own session, so that Ctrl-C in
 * a terminal does not reach it and it stays up during a clean shutdown. It does not keep the event
 * loop of this process alive.
 */
export function startGuarded(command: readonly string[], options: GuardOptions): GuardedProcess {
  const guard = spawn(
    '/bin/sh',
    ['-c', GUARD, 'guard', options.scratchDir ?? '', options.container ?? '', ...command],
    {
      cwd: '/',
      detached: true,
      stdio: ['pipe', options.output, options.output],
    },
  );
  guard.unref();
  unrefPipe(guard);
  const ended = new Promise<number>((resolve) => {
    guard.once('error', () => resolve(127));
    guard.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
  return {
    ended,
    stop: async () => {
      guard.ref();
      guard.stdin?.end();
      await ended;
    },
  };
}

/** At run time the pipe is a net.Socket; its type is only Writable. */
function unrefPipe(guard: ChildProcess): void {
  const pipe = guard.stdin as (NodeJS.WritableStream & { unref?: () => void }) | null;
  pipe?.on('error', () => undefined);
  pipe?.unref?.();
}
