import type { Finding, Unchecked } from '../../domain/diagnosis/finding.js';
import { textOf, type Json, type JsonObject } from '../../lib/json.js';

/** The result of a tool call. `failed`: the call itself failed, and the output gives the reason if it is known. */
export interface Answer {
  id: string;
  tool: string;
  args: JsonObject;
  output: Json;
  failed: boolean;
}

/** One turn of the runbook: its reasoning, its text and its tool calls. */
export interface Plan {
  reasoning: string;
  text: string;
  calls: { tool: string; args: JsonObject }[];
}

/** The output of a dispatch: the report of the dispatched agent. */
export interface SubReport {
  status: 'ok' | 'partial' | 'failed';
  reasons: string[];
  summary: string;
  findings: Finding[];
  unchecked?: Unchecked[];
}

export const reportsIn = (
  answers: readonly Answer[],
  tool: string,
): { name: string; report: SubReport }[] =>
  answers
    .filter((answer) => answer.tool === tool && !answer.failed)
    .map((answer) => ({
      name: textOf(answer.args, tool === 'dispatch_team' ? 'team' : 'worker'),
      report: answer.output as unknown as SubReport,
    }));

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

export const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
