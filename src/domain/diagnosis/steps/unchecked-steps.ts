import { groupBy } from '../../../lib/group-by.js';
import { clipAtWord } from '../../../lib/text.js';
import type { NextStep, Unchecked } from '../finding.js';
import type { UnreadChanges } from '../unchecked/unread-telemetry.js';
import { ONLY_RECORDED } from '../unchecked/unchecked.js';
import { some } from '../wording.js';

/** Maximum code points of a step; more for one with the reason and remedy of a tool. */
export const MOST_TEXT = 300;
const MOST_REASON = 1_000;
/** Maximum nodes and results that one step names. */
const MOST_NAMED = 20;
const MOST_EVIDENCE = 10;

/**
 * Names what a list omits; empty if it omits nothing.
 * @param what may name one or several
 */
export function leftOff(names: readonly string[], what: (count: number) => string): NextStep[] {
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  const text = clipAtWord(`${what(all.length)}: ${all.join(', ')}.`, MOST_TEXT);
  return [{ text, access: 'read', origin: 'catalogue' }];
}

/** The steps for the nodes that were not checked: one step for all nodes with the same remedy. */
export function uncheckedSteps(
  unchecked: readonly Unchecked[],
  nameOf: (each: { node: string }) => string,
): NextStep[] {
  // Only the detail names the missing right, and how a quarantine is lifted.
  const whyOf = ({ reason, detail = '' }: Unchecked) =>
    reason === 'FORBIDDEN' || reason === 'NODE_QUARANTINED' ? ` ${detail}` : '';
  const groups = groupBy(unchecked, (each) => lookAt(each) + whyOf(each));
  const all = [...groups.values()];
  const steps = all.slice(0, MOST_NAMED).flatMap((group): NextStep[] => {
    const [first] = group;
    if (first === undefined) return [];
    const nodes = group.map(({ node }) => node);
    const evidence = [...new Set(group.flatMap((each) => each.evidence ?? []))].slice(
      0,
      MOST_EVIDENCE,
    );
    const names = some(group.map(nameOf), MOST_NAMED);
    return [
      {
        text: clipAtWord(`${lookAt(first)} ${names}.${whyOf(first)}`.trim(), MOST_REASON),
        ...(nodes.length === 1 ? { node: first.node } : { nodes: nodes.slice(0, MOST_NAMED) }),
        access: 'read',
        origin: 'catalogue',
        ...(evidence.length > 0 && { evidence }),
      },
    ];
  });
  const more = leftOff(all.slice(MOST_NAMED).flat().map(nameOf), (count) =>
    count === 1 ? 'One more node was not checked' : `${count} more nodes were not checked`,
  );
  return [...steps, ...more];
}

/** The steps for changes that could not be read: one step for each reason. */
export const unreadChangesSteps = (
  unread: readonly UnreadChanges[],
  nameOf: (each: { node: string }) => string,
): NextStep[] =>
  unread.slice(0, MOST_NAMED).map(({ nodes, reason, evidence }) => {
    const names = some(
      nodes.map((node) => nameOf({ node })),
      MOST_NAMED,
    );
    return {
      text: clipAtWord(
        `Let the diagnosis read what was changed at ${names}, which may be a cause: ${reason}.`,
        MOST_REASON,
      ),
      nodes: nodes.slice(0, MOST_NAMED),
      access: 'read',
      origin: 'catalogue',
      evidence,
    };
  });

/** The step for a node that was not checked, up to its name. */
function lookAt({ reason, detail }: Unchecked): string {
  if (detail === ONLY_RECORDED) return 'Check by hand what was not recorded of:';
  switch (reason) {
    case 'NO_TOOL':
      return 'Check by hand, or give it a kind that a tool measures:';
    case 'FORBIDDEN':
      return 'Give the diagnosis the right to read:';
    case 'NOT_READ':
      return 'Read its answer by hand, or name a path whose answer is short enough to be read to the end:';
    case 'NODE_QUARANTINED':
      return 'Find out what answers there, then lift the quarantine:';
    case 'EGRESS_DENIED':
      return 'Let the tools connect, or check by hand:';
    case 'SOURCE_UNAVAILABLE':
      return 'Fix what the report gives as the reason that tools could not measure:';
    case 'LIMIT_REACHED':
      return 'Diagnose again with a higher limit `timeoutSeconds`, or separately from the others:';
    case 'AGENT_FAILED':
      return 'Fix what the report gives as the reason that its worker failed, and diagnose again, with the model `runbook` if a provider of models failed:';
    case 'NOT_RECORDED':
      return 'Check that what it selects from its sources (`in`) is what they hold, or record metrics, logs or traces of it:';
    case 'UNRELIABLE':
      return 'Measure again when the prober has processor time:';
    default:
      return 'Diagnose again with a question that names no other node, or check by hand:';
  }
}
