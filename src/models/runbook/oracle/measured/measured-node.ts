import { findingsOf, measuredBy } from '../../../../domain/diagnosis/findings-of.js';
import { isFailure, symptomOf, type Finding } from '../../../../domain/diagnosis/finding.js';
import { textOf, type JsonObject } from '../../../../lib/json.js';
import type { ToolAnswer } from '../../plan.js';

/** What measurements say of a node now. */
export interface MeasuredNode {
  id: string;
  name: string;
  /**
   * `warned`: nothing is wrong yet, but something needs attention; `unknown`: no tool could measure
   * it.
   */
  state: 'ok' | 'warned' | 'wrong' | 'unknown';
  /**
   * It does not answer, or not as it should; what is only slow, full or set up wrong is not down.
   */
  isDown: boolean;
  /** What is wrong or needs attention, without the name of the node. */
  wrong: string[];
  /** The titles of all findings. */
  found: string[];
  reachedOnly: boolean;
}

/** Whether a finding says that a node does not answer, or not as it should. */
export const isDown = (finding: Pick<Finding, 'symptom' | 'severity' | 'kind'>): boolean =>
  ['unreachable', 'nameless', 'erroring'].includes(symptomOf(finding)) ||
  finding.kind === 'timeout';

interface Node {
  id: string;
  name: string;
  reachedOnly?: true;
}

/** Judges a node by its measurements among some. */
export function judged(
  { id, name, reachedOnly }: Node,
  looked: readonly ToolAnswer[],
): MeasuredNode {
  const own = looked.filter(({ args }) => args['node'] === id);
  const measured = own.filter(({ failed }) => !failed);
  const findings = findingsOf(
    id,
    measured.map(({ id: call, tool, output }) => measuredBy(tool, call, output)),
  );
  const titled = (list: readonly { title: string }[]) => list.map(({ title }) => title);
  const faults = findings.filter(isFailure);
  const warnings = findings.filter((each) => each.severity !== 'info' && !isFailure(each));
  const dead = measured
    .map(({ output }) => output as JsonObject)
    .filter((result) => textOf(result, 'status') === 'failed')
    .map((result) => textOf(result, 'summary'));
  const wrong = faults.length > 0 ? titled(faults) : dead;
  const isSeen = measured.length > 0 && measured.length === own.length;
  const isWell = warnings.length > 0 ? 'warned' : 'ok';
  return {
    id,
    name,
    found: titled(findings),
    wrong: wrong.length > 0 ? wrong : titled(warnings),
    isDown: faults.length > 0 ? faults.some(isDown) : dead.length > 0,
    state: wrong.length > 0 ? 'wrong' : isSeen ? isWell : 'unknown',
    reachedOnly: reachedOnly === true,
  };
}

/** Returns the error text of a failed call. */
export function errorOf({ tool, output }: ToolAnswer): string {
  const text =
    textOf((output ?? undefined) as JsonObject | undefined, 'error') ||
    (typeof output === 'string' ? output : '');
  return text === '' ? `${tool} did not work.` : text;
}
