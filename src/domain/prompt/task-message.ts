import { utcTime } from '../../lib/utc-time.js';
import { readData, writeData, type DataBlock } from './data-block.js';

/** The first message of an agent, apart from its instructions. */
export interface TaskMessage {
  /** ms since 1970: when the agent began, and when it must have reported. */
  startedAt: number;
  deadlineAt: number;
  limits: { maxIterations: number; maxToolCallsPerTurn: number; tokenBudget: number };
  /** The code of the run's data blocks. */
  code: string;
  /** Text that the person's front end sent with the message. */
  context?: DataBlock | undefined;
  /** The report of a person, for an agent whose task is not that message itself. */
  reported?: string | undefined;
  task: string;
}

const REPORTED = 'A person reported:\n';
const TASK = 'Your task:\n';
const BUDGET = /^Time: [^\n]*\nBudget: \d+ turns of at most (\d+) calls;/;
const HEAD = /^Time: [^\n]*\nBudget: [^\n]*\nData code: [0-9a-f]+\n\n/;

const NUMBERS = new Intl.NumberFormat('en-US');
const grouped = (count: number): string => NUMBERS.format(count);

/**
 * The first message of an agent. It does not change while the agent works, so that providers can
 * cache it.
 */
export function writeTask(message: TaskMessage): string {
  const { startedAt, deadlineAt, limits, code, context, reported, task } = message;
  return [
    `Time: ${utcTime(startedAt)}. Be done by ${utcTime(deadlineAt)}.\n` +
      `Budget: ${limits.maxIterations} turns of at most ${limits.maxToolCallsPerTurn} calls; ${grouped(limits.tokenBudget)} tokens for all agents of the run together.\n` +
      `Data code: ${code}`,
    ...(context ? [writeData(context, code)] : []),
    ...(reported === undefined ? [] : [REPORTED + reported]),
    TASK + task,
  ].join('\n\n');
}

/** The calls that the first message of an agent allows in a turn; undefined for any other text. */
export function readCallLimit(text: string): number | undefined {
  const most = BUDGET.exec(text)?.[1];
  return most === undefined ? undefined : Number(most);
}

/** When an agent began, in ms since 1970, by its first message; undefined for any other text. */
export function readStart(text: string): number | undefined {
  const at = /^Time: (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC\./.exec(text);
  const ms = Date.parse(`${at?.[1]}T${at?.[2]}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * The task in the first message of an agent, and the report of the person; undefined for any other
 * text.
 */
export function readTask(text: string): { task: string; reported: string } | undefined {
  const head = HEAD.exec(text)?.[0];
  if (head === undefined) return undefined;
  let rest = text.slice(head.length);
  rest = readData(rest)?.rest.trimStart() ?? rest;
  if (rest.startsWith(TASK)) {
    const task = rest.slice(TASK.length);
    return { task, reported: task };
  }
  const at = rest.startsWith(REPORTED) ? rest.lastIndexOf(`\n\n${TASK}`) : -1;
  if (at < 0) return undefined;
  return { reported: rest.slice(REPORTED.length, at), task: rest.slice(at + 2 + TASK.length) };
}
