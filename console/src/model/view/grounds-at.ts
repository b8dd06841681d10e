import type { RootCause } from '../../../../src/domain/diagnosis/finding.js';
import type { Severity } from '../../../../src/client/index.js';
import { toolFindingsOf } from '../read.js';
import type { RunModel } from '../run-model.js';
import { explainedBy } from './path-at.js';

/** A fact of the log: evidence for a root cause, against it, or neutral. */
export interface Ground {
  speaks: 'for' | 'against' | 'neither';
  text: string;
}

export function groundsAt(model: RunModel, cause: RootCause, seq: number): Ground[] {
  // Without its log, only the report is known.
  if (!model.nodes.has(cause.node)) return [support(cause)];
  return [
    ...ownMeasurement(model, cause, seq),
    support(cause),
    ...explained(model, cause, seq),
    ...dependencies(model, cause, seq),
  ];
}

function ownMeasurement(model: RunModel, { node }: RootCause, seq: number): Ground[] {
  const results = model.nodes.get(node)?.results.filter((result) => result <= seq) ?? [];
  if (results.length === 0)
    return [{ speaks: 'against', text: 'Nothing was measured at this node itself' }];
  const issues = results.flatMap((result) => {
    const event = model.at(result);
    return event?.name === 'llm.tool_result' ? toolFindingsOf(event.data.result).issues : [];
  });
  const has = (severity: Severity): boolean => issues.some((issue) => issue.severity === severity);
  if (has('critical'))
    return [{ speaks: 'for', text: 'A critical measurement of this node itself' }];
  if (has('warning'))
    return [{ speaks: 'against', text: 'Only a warning was measured here, nothing critical' }];
  return [
    { speaks: 'neither', text: 'No probe of this node failed: recorded telemetry points to it' },
  ];
}

function support({ evidence }: RootCause): Ground {
  const { length } = evidence;
  return length > 1
    ? { speaks: 'for', text: `Rests on ${length} tool results` }
    : { speaks: 'neither', text: `Rests on ${length} tool result, measured once` };
}

const NAMED = 5;

/** Names in a sentence; of many the first ones, and how many more there are. */
function someOf(names: readonly string[]): string {
  if (names.length <= NAMED + 1) return names.join(', ');
  return `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more`;
}

/** What the report says that it explains; older ones, and what is found so far, do not say it. */
function explained(model: RunModel, { node, explains }: RootCause, seq: number): Ground[] {
  const names = (explains ?? explainedBy(model, node, seq)).map((id) => model.nameOf(id));
  if (names.length === 0) return [];
  const nodes = names.length === 1 ? 'node' : 'nodes';
  const text = `Explains ${names.length} other unhealthy ${nodes}: ${someOf(names)}`;
  return [{ speaks: 'for', text }];
}

function dependencies(model: RunModel, cause: RootCause, seq: number): Ground[] {
  const open = cause.not_excluded ?? [];
  if (open.length > 0)
    return open.map(({ node, reason }) => ({
      speaks: 'against',
      text: `${model.nameOf(node)} is not excluded: ${reason}`,
    }));
  const needed = model.nodes.get(cause.node)?.dependsOn ?? [];
  const blind = needed.filter((id) => ['unknown', 'unchecked'].includes(model.health(id, seq)));
  if (blind.length > 0) {
    const names = someOf(blind.map((id) => model.nameOf(id)));
    return [{ speaks: 'against', text: `${names}, which it depends on, was not measured` }];
  }
  const text =
    needed.length > 0
      ? 'Its dependencies were measured and do not explain it'
      : 'It depends on nothing else in this topology';
  return [{ speaks: 'for', text }];
}
