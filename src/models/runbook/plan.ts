import type { Finding, Unchecked } from '../../domain/diagnosis/finding.js';
import { isJsonObject, textOf, type Json, type JsonObject } from '../../lib/json.js';
import { escapeMarkdown } from '../../lib/markdown.js';

/**
 * The result of a tool call. `failed`: the call itself failed, and the output gives the reason if
 * it is known.
 */
export interface ToolAnswer {
  id: string;
  tool: string;
  args: JsonObject;
  output: Json;
  failed: boolean;
}

/** One turn of the runbook: its reasoning, its text and its tool calls. */
export interface Plan {
  reasoning: string;
  /**
   * Plain text: it may quote titles, names and lines of logs as they are. Items of a list begin
   * with `- ` or a number.
   */
  text: string;
  calls: { tool: string; args: JsonObject }[];
  /** The text is Markdown already; what it quotes is escaped. */
  isMarkdown?: true;
}

/**
 * The reasoning and the text of a turn as Markdown, which is what clients expect of a model. What
 * they quote is no markup.
 */
export const markdownOf = ({
  reasoning,
  text,
  isMarkdown,
}: Plan): Pick<Plan, 'reasoning' | 'text'> => ({
  reasoning: escapeMarkdown(reasoning),
  text: isMarkdown ? text : escapeMarkdown(text),
});

/** The output of a dispatch: the report of the dispatched agent. */
export interface SubReport {
  status: 'ok' | 'partial' | 'failed';
  reasons: string[];
  summary: string;
  findings: Finding[];
  unchecked?: Unchecked[];
}

/** A report that was cut to fit is a text. */
const isReport = (output: Json): boolean =>
  isJsonObject(output) && Array.isArray(output['reasons']) && Array.isArray(output['findings']);

export const reportsIn = (
  answers: readonly ToolAnswer[],
  tool: string,
): { name: string; report: SubReport }[] =>
  answers
    .filter(({ failed, output, ...answer }) => answer.tool === tool && !failed && isReport(output))
    .map((answer) => ({
      name: textOf(answer.args, tool === 'dispatch_team' ? 'team' : 'worker'),
      report: answer.output as unknown as SubReport,
    }));

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

export const list = (names: readonly string[], last = 'and'): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
