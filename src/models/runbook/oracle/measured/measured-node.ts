import { findingsOf, measuredBy } from '../../../../domain/diagnosis/findings-of.js';
import { isTrouble } from '../../../../domain/diagnosis/finding.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import type { Answer } from '../../plan.js';

/** What measurements say of a node now. */
export interface MeasuredNode {
  id: string;
  name: string;
  /** `unknown`: no tool could measure it. */
  state: 'ok' | 'wrong' | 'unknown';
  /** What is wrong, without the name of the node. */
  wrong: string[];
  /** The titles of all findings. */
  found: string[];
  reachedOnly: boolean;
}

interface Node {
  id: string;
  name: string;
  reachedOnly?: true;
}

/** Judges a node by its measurements among some. */
export function judged({ id, name, reachedOnly }: Node, looked: readonly Answer[]): MeasuredNode {
  const own = looked.filter(({ args }) => args['node'] === id);
  const measured = own.filter(({ failed }) => !failed);
  const findings = findingsOf(
    id,
    measured.map(({ id: call, tool, output }) => measuredBy(tool, call, output)),
  );
  const troubles = findings.filter(isTrouble).map(({ title }) => title);
  const dead = measured
    .map(({ output }) => output as JsonObject)
    .filter((result) => textOf(result, 'status') === 'failed')
    .map((result) => textOf(result, 'summary'));
  const wrong = troubles.length > 0 ? troubles : dead;
  const isSeen = measured.length > 0 && measured.length === own.length;
  return {
    ...{ id, name, wrong, found: findings.map(({ title }) => title) },
    state: wrong.length > 0 ? 'wrong' : isSeen ? 'ok' : 'unknown',
    reachedOnly: reachedOnly === true,
  };
}

/** Returns the error text of a failed call. */
export function errorOf({ tool, output }: Answer): string {
  const text =
    textOf((output ?? undefined) as JsonObject | undefined, 'error') ||
    (typeof output === 'string' ? output : '');
  return text === '' ? `${tool} did not work.` : text;
}
