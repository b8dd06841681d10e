import type { Symptom } from '../../domain/diagnosis/finding.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { pause } from './within.js';

/** All tries of one call together; below the default time limit of a tool (contract section 4: 30 s). */
const BUDGET_MS = 20_000;
/** Gives a service that restarts a chance to be seen both ways. */
const PAUSE_AFTER_FAILURE_MS = 100;

/**
 * Tries something several times, one after the other. After the first it starts no try that might end beyond the budget,
 * so there may be fewer than asked for.
 *
 * @param timeoutMs the longest that one try may take
 * @throws the signal's reason
 */
export async function repeat<T>(
  tries: number,
  timeoutMs: number,
  signal: AbortSignal,
  attempt: () => Promise<T>,
  failed: (outcome: T) => boolean,
): Promise<T[]> {
  const started = performance.now();
  const outcomes: T[] = [];
  do {
    signal.throwIfAborted();
    const outcome = await attempt();
    outcomes.push(outcome);
    if (failed(outcome) && outcomes.length < tries) await pause(PAUSE_AFTER_FAILURE_MS, signal);
  } while (outcomes.length < tries && performance.now() - started + timeoutMs <= BUDGET_MS);
  return outcomes;
}

/** How one try failed: a phrase that can stand alone as a title. */
export interface Failure {
  symptom: Symptom;
  text: string;
  detail?: string;
}

/**
 * The issue that failed tries make, if any failed: what most of them met. Where only some fail, it says so, and it is
 * critical from half of them on.
 */
export function failureIssues(
  failures: readonly Failure[],
  tries: number,
  expected: string,
): Issue[] {
  const count = (text: string) => failures.filter((each) => each.text === text).length;
  const worst = [...failures].sort((a, b) => count(b.text) - count(a.text))[0];
  if (!worst) return [];
  const others = [...new Set(failures.map((each) => each.text))]
    .filter((text) => text !== worst.text)
    .slice(0, 3);
  const detail = [
    `${failures.length} of ${tries} tries failed: ${[worst.text, ...others].join('; ')}. Expected ${expected}.`,
    ...(worst.detail === undefined ? [] : [worst.detail]),
  ].join(' ');
  if (failures.length === tries)
    return [{ severity: 'critical', symptom: worst.symptom, title: worst.text, detail }];
  return [
    {
      severity: failures.length * 2 >= tries ? 'critical' : 'warning',
      symptom: worst.symptom,
      title: `fails now and then: ${worst.text}`,
      detail,
    },
  ];
}
