import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { pause } from '../../lib/async.js';
import type { NetworkFault } from '../net/network-error.js';

/**
 * The outcome of a visit to a service: an answer of any kind, a connection that was closed before
 * the answer, a closed port, or another fault.
 */
export type LookResult = 'answered' | 'reset' | 'refused' | 'other';

/**
 * ms for which a service that has disappeared is watched: process managers start a crashed process
 * again within that time.
 */
const WATCH_MS = 1_500;
const BETWEEN_MS = 150;
/** Maximum visits in addition to the tries. */
const MOST_LOOKS = 4;

export const metBy = (kind: NetworkFault['kind'] | undefined): LookResult =>
  kind === undefined ? 'answered' : kind === 'reset' || kind === 'refused' ? kind : 'other';

/** How a service that ends and restarts is observed. */
export interface WatchedService {
  /** Whether something accepts connections now. */
  isOpen(): Promise<boolean>;
  /** Visits the service once more. */
  look(): Promise<LookResult>;
  signal: AbortSignal;
}

/**
 * Distinguishes a service that ends and restarts from one that is gone: a port that is closed for a
 * moment only, and closes connections before it answers, belongs to a process that crashes.
 * Continues after tries without another outcome, for as long as needed, at most `watchMs`.
 * @param tries their outcomes, in order
 * @returns all outcomes, including those of the tries.
 * @throws the signal's reason; errors of `watching`
 */
export async function watchRestarts(
  tries: readonly LookResult[],
  watching: WatchedService,
  watchMs = WATCH_MS,
): Promise<LookResult[]> {
  const met = [...tries];
  const started = performance.now();
  for (let looks = 0; looks < MOST_LOOKS && performance.now() - started < watchMs;) {
    const last = met.at(-1);
    if (isCrashLoop(met) || (last !== 'reset' && last !== 'refused')) break;
    // Right after a reset, a process that has crashed is not there.
    if (last === 'refused') await pause(BETWEEN_MS, watching.signal);
    if (await watching.isOpen()) {
      looks += 1;
      met.push(await watching.look());
    } else if (last === 'reset') met.push('refused');
  }
  return met;
}

/** It was gone, it came back, and it ended while it answered. */
function isCrashLoop(met: readonly LookResult[]): boolean {
  const gone = met.indexOf('refused');
  return (
    gone >= 0 &&
    met.includes('reset') &&
    met.slice(gone).some((each) => each === 'reset' || each === 'answered')
  );
}

/** What the visits show about the process; undefined if they show nothing. */
export function crashIn(
  met: readonly LookResult[],
): { kind: FailureKind; title: string } | undefined {
  if (isCrashLoop(met))
    return {
      kind: 'crash-loop',
      title: 'keeps restarting (closes connections before it answers, is gone, comes back)',
    };
  return met.includes('reset') && met.includes('refused')
    ? { kind: 'crash', title: 'crashes (closes the connection before it answers, and is gone)' }
    : undefined;
}
