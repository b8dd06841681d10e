import type { RunModel } from '../../model/run-model.js';
import { fieldsOf, textOf, toolFindingsOf } from '../../model/read.js';
import type { Issue } from '../../model/types.js';
import { duration, offset } from '../../ui/format.js';
import { measureText, words } from '../evidence/measure-text.js';

/** A result that a claim of the report rests on. */
export interface CitedResult {
  seq: number;
  tool: string;
  /** The name of what was measured; empty if that is no node. */
  node: string;
  /** When, and how long it took. */
  facts: string;
  summary: string;
  issues: Issue[];
  /** What was measured, as words. */
  numbers: [string, string][];
  /** As it stands in the log. */
  json: string;
}

/** A longer text of a number is cut: the result as it stands in the log has all of it. */
const LONGEST = 400;
const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;

/** The results among some events of a run, in their order. */
export function citedResults(model: RunModel, seqs: Iterable<number>): CitedResult[] {
  return [...new Set(seqs)]
    .toSorted((a, b) => a - b)
    .flatMap((seq): CitedResult[] => {
      const event = model.at(seq);
      if (event?.name !== 'llm.tool_result') return [];
      const { tool, tool_call_id: id, status, duration_ms: took, result } = event.data;
      const found = toolFindingsOf(result);
      const node = textOf(fieldsOf(event.data)['node']) || model.calls.get(id)?.bar.node;
      return [
        {
          seq,
          tool,
          node: node ? model.nameOf(node) : '',
          facts: `${offset(event.time - model.startTime)} s, took ${duration(took)}`,
          summary: status === 'ok' ? found.summary : `${status}: ${found.error}`,
          issues: found.issues,
          numbers: Object.entries(found.measurements).map(([key, value]) => [
            words(key),
            cut(measureText(key, value)),
          ]),
          json: JSON.stringify(result, null, 2),
        },
      ];
    });
}
