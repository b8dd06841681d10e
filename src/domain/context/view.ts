import { isJsonObject, textOf, type JsonObject } from '../../lib/json.js';
import type { Message } from '../message.js';
import { clip } from '../../lib/text.js';

/**
 * The parts of a conversation that are sent to the model. The conversation itself stays complete,
 * and every view is built from it, so that no summary is built from another summary. Plain JSON,
 * part of the blackboard.
 */
export interface View {
  /** Earlier messages are replaced by a digest. */
  folded: number;
  /** Ids of results without their text. */
  cut: string[];
  /** The librarian's summaries of results, by result id. */
  summaries: Record<string, string>;
}

export const wholeView = (): View => ({ folded: 0, cut: [], summaries: {} });

/** Whether nothing is left out. */
export const isWhole = ({ folded, cut, summaries }: View): boolean =>
  folded === 0 && cut.length === 0 && Object.keys(summaries).length === 0;

export const READ_AGAIN = 'read_result';
const SHORT = 200;
const MOST_LINES = 60;

type Result = Extract<Message, { role: 'result' }>;

/**
 * The id to cite a result and to read it again; for a result that was read again, the id of the
 * first.
 */
export function evidenceOf({ id, output }: Result): string {
  if (!isJsonObject(output)) return id;
  const { measurements } = output;
  return (
    (isJsonObject(measurements) && textOf(measurements, 'result_of')) ||
    textOf(output, 'evidence') ||
    id
  );
}

/**
 * The replacement of a result: its gist, and how to read it again. A result that is no longer than
 * that is kept.
 */
function leftOf(result: Result, summary: string | undefined): Result {
  const id = evidenceOf(result);
  const characters = JSON.stringify(result.output).length;
  const how = `${READ_AGAIN} with the id ${id} shows it again`;
  const output: JsonObject =
    summary === undefined
      ? {
          evidence: id,
          left_out: `${characters} characters, to save room; ${how}`,
          in_short: gist(result),
        }
      : { evidence: id, summed_up: `${characters} characters, by the librarian; ${how}`, summary };
  if (JSON.stringify(output).length >= characters) return result;
  return { role: 'result', id: result.id, failed: result.failed, output };
}

/** The gist of a result in one line. */
function gist({ output, failed }: Result): string {
  if (!isJsonObject(output))
    return clip(typeof output === 'string' ? output : JSON.stringify(output), SHORT);
  const issues = Array.isArray(output['issues']) ? output['issues'].filter(isJsonObject) : [];
  // For a report: its findings and the evidence to cite.
  const findings = Array.isArray(output['findings']) ? output['findings'].filter(isJsonObject) : [];
  const titles = [...issues, ...findings]
    .map((issue) => {
      const cited = Array.isArray(issue['evidence'])
        ? ` (evidence ${issue['evidence'].filter((cited) => typeof cited !== 'object').join(', ')})`
        : '';
      return `${textOf(issue, 'severity')}: ${[textOf(issue, 'node'), textOf(issue, 'title')].filter((part) => part !== '').join(' ')}${cited}`;
    })
    .join('; ');
  const status = textOf(output, 'status') || (failed ? 'failed' : 'ok');
  const said = textOf(output, 'summary') || textOf(output, 'error');
  return clip([status, said, titles].filter((part) => part !== '').join(', '), 2 * SHORT);
}

/** One line per call with its gist, and the beginning of each text. */
function digest(messages: readonly Message[]): string {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'result' ? [[message.id, message] as const] : [],
    ),
  );
  const lines = messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    const said =
      message.text.trim() === ''
        ? []
        : [`- you said: ${clip(message.text.trim().replaceAll(/\s+/g, ' '), SHORT)}`];
    const calls = message.calls.map(({ id, tool, args }) => {
      const result = results.get(id);
      const came = result ? `${gist(result)} [${evidenceOf(result)}]` : 'no result';
      return `- ${tool} ${clip(JSON.stringify(args), SHORT / 2)}: ${came}`;
    });
    return [...said, ...calls];
  });
  const turns = messages.filter(({ role }) => role === 'assistant').length;
  const older = lines.length - MOST_LINES;
  return [
    `[left out to save room] Your first ${turns} turns, in short. ${READ_AGAIN} with an id in brackets shows a result again.`,
    ...(older > 0 ? [`- ${older} lines before these are not shown`] : []),
    ...lines.slice(-MOST_LINES),
  ].join('\n');
}

/** The messages that are sent to the model. Does not change its arguments. */
export function viewOf(messages: readonly Message[], view: View): Message[] {
  if (isWhole(view)) return [...messages];
  const cut = new Set(view.cut);
  const kept = messages.slice(view.folded).map((message): Message => {
    if (message.role !== 'result') return message;
    const summary = Object.hasOwn(view.summaries, message.id)
      ? view.summaries[message.id]
      : undefined;
    return summary !== undefined || cut.has(message.id) ? leftOf(message, summary) : message;
  });
  return view.folded === 0
    ? kept
    : [
        {
          role: 'note',
          text: digest(messages.slice(0, view.folded)),
          origin: 'your earlier turns, in short',
        },
        ...kept,
      ];
}
