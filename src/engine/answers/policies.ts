import type { ToolRecording } from '../../domain/telemetry/records.js';
import { rowsOf } from './columns.js';

/** The text of `kubectl describe` for a policy that allows nothing. */
const ISOLATED = /Selected pods are isolated for (\w{1,10})/;

/**
 * Network policies by name, as a tree of owners writes them, and which of them isolate their pods.
 */
export function namedPolicies(answer: ToolRecording, text: string): ToolRecording {
  const described = text.split(/^(?=Name:\s)/m).flatMap((part) => {
    const name = /^Name:\s+(\S{1,253})/.exec(part)?.[1];
    const way = ISOLATED.exec(part)?.[1];
    return name === undefined
      ? []
      : [`NetworkPolicy/${name}${way === undefined ? '' : ` isolates pods (${way})`}`];
  });
  const listed = /^\s*(?:NAMESPACE\s+)?NAME\s/.test(text)
    ? rowsOf(text.split('\n')).map((row) => `NetworkPolicy/${row.get('NAME') ?? ''}`)
    : [];
  return { ...answer, output: [...described, ...listed].join('\n') };
}
