import type { Redis } from 'ioredis';
import { check } from '../../contract/check-stream.mjs';
import type { Observation } from './test-control.js';

/** What is known of an accepted run when all is over. */
export interface RunHistory {
  runId: string;
  /** Its whole log, read at the end. */
  log: string;
  /** What its client had been given by then, over however many connections. */
  seen: string;
  /**
   * What a cancel was answered, if there was one, when (ms), and whether the run was `quiesced` in
   * the end.
   */
  cancel?: number;
  cancelledAt?: number;
  quiesced?: boolean;
  /** Tokens of all its tools. */
  tools: string[];
  /** Nodes of tools that are not safe to repeat, and the tokens of those. */
  unsafe: { node: string; mark: string }[];
}

const ENDS: Record<number, string[]> = {
  200: ['lifecycle.cancelled'],
  409: ['lifecycle.completed', 'lifecycle.failed'],
};
/**
 * After a cancel was answered: a worker may be paused in front of a tool, and cut off when it comes
 * back, for so long.
 */
const STOPPED_MS = 10_000;
/**
 * What no fault of the surroundings excuses: that an agent is given up although it did nothing
 * wrong.
 */
const BLAMED = /"(AGENT_FAILED|AGENT_CRASHED|INTERNAL_ERROR|DEADLINE|ORPHANED)"/;

/**
 * The promise, checked over everything that was logged and done. @returns what was broken; empty:
 * nothing
 * @param observations of all scripted agents
 */
export function checkHistory(
  runs: readonly RunHistory[],
  observations: readonly Observation[],
): string[] {
  const executions: Executions = new Map();
  for (const { event, mark, at } of observations) {
    if (event !== 'tool-began') continue;
    const { count = 0, last = 0 } = executions.get(mark) ?? {};
    executions.set(mark, { count: count + 1, last: Math.max(last, at) });
  }
  return runs.flatMap((run) =>
    checkRun(run, executions).map((problem) => `run ${run.runId}: ${problem}`),
  );
}

/** By mark: how often, and when last. */
type Executions = Map<string, { count: number; last: number }>;

function checkRun(run: RunHistory, executions: Executions): string[] {
  const { log, seen, cancel, unsafe } = run;
  // Gaps, doubles, results and reports without a call or twice, events after the end, no end: all
  // of this is the contract's.
  const { problems, events } = check(log);
  if (!log.startsWith(seen))
    problems.push(
      `its client was shown another history than the log has, from ${differs(seen, log)}`,
    );
  else if (seen.length < log.length)
    problems.push(`its client was not shown the end: ${seen.length} of ${log.length} characters`);
  const last = events.at(-1)?.key ?? 'nothing';
  if (cancel !== undefined && ENDS[cancel] && !ENDS[cancel].includes(last))
    problems.push(`its cancel was answered ${cancel}, and it ended in ${last}`);
  if (cancel === undefined && last === 'lifecycle.cancelled')
    problems.push('no client cancelled it');
  const blamed = BLAMED.exec(log)?.[1];
  if (blamed !== undefined) problems.push(`${blamed}, and nothing was wrong with it`);
  for (const { node, mark } of unsafe) {
    const calls = events.filter(
      ({ key, data }) =>
        key === 'llm.tool_call' && (data['args'] as { node?: string }).node === node,
    );
    const ran = executions.get(mark)?.count ?? 0;
    if (ran > calls.length)
      problems.push(
        `the tool at ${node} is not safe to repeat; it was called ${calls.length} times and ran ${ran} times`,
      );
    const well = events.filter(
      ({ key, data }) =>
        key === 'llm.tool_result' && data['tool'] === 'touch' && data['status'] === 'ok',
    );
    if (
      ran === 0 &&
      well.some(({ data }) => (data['tool_call_id'] as string) === calls[0]?.data['tool_call_id'])
    )
      problems.push(`the tool at ${node} is said to have run, and did not`);
  }
  return cancel === 200 ? [...problems, ...checkStopped(run, executions)] : problems;
}

function checkStopped(
  { cancelledAt = 0, quiesced, tools }: RunHistory,
  executions: Executions,
): string[] {
  const late = tools.filter((mark) => (executions.get(mark)?.last ?? 0) > cancelledAt + STOPPED_MS);
  return [
    ...late.map((mark) => `the tool ${mark} was begun long after its cancel was answered`),
    ...(quiesced === true ? [] : ['it was cancelled, and is not quiesced']),
  ];
}

/** Where two texts part, with what each has there. */
function differs(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const near = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 120));
  return `${at} on: ${near(one)} and not ${near(other)}`;
}

/**
 * Keys that stay when all runs have ended: their logs, what is found without reading those, the
 * index, rules that runs began with and numbers in the queues (for a while), the processes that
 * live, and what BullMQ keeps of a queue.
 */
const STAYS = [
  /\}:(log|state|writers|evidence|dispatches|reports|budget)$/,
  /:\{index\}:/,
  /:\{?topolog/,
  /:\{idempotency\}:/,
  /:\{pins\}:/,
  /:\{order\}:/,
  /:\{processes\}$/,
  /\}:(global-supervisor|team-supervisor|worker|oracle):(meta|events|id|stalled-check|marker|pc)$/,
  /:control:/,
  /:\{conversation:/,
  /:\{caller:[^}]*\}:(conversations|messages:.*)$/,
  /:\{model:/,
];
/** What the agents of a run that was ended from outside had in mind. */
const STAYS_OF_ENDED = /\}:(checkpoints|messages:[^:]+)$/;

/** Keys of a prefix that should be gone. @param endedEarly runs that were cancelled or failed */
export async function leftKeys(
  redis: Redis,
  prefix: string,
  endedEarly: ReadonlySet<string>,
): Promise<string[]> {
  const left: string[] = [];
  for await (const keys of redis.scanStream({
    match: `*${prefix}*`,
    count: 1_000,
  }) as AsyncIterable<string[]>)
    for (const key of keys) {
      const run = /\{([0-9a-f-]{36})\}/.exec(key)?.[1] ?? '';
      if (
        !STAYS.some((pattern) => pattern.test(key)) &&
        !(endedEarly.has(run) && STAYS_OF_ENDED.test(key))
      )
        left.push(key);
    }
  return left;
}
