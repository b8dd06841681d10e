import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GLOBAL, LogText, ORACLE, type Place } from './log-text.js';
import { framesOf } from './encode.js';

const FOLDER = join(import.meta.dirname, '../../fixtures/logs');

/** Recorded runs of the service by name: the frames of each. */
export const RECORDED: Record<string, string[]> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.log'))
    .map((file) => [file.slice(0, -4), framesOf(readFileSync(join(FOLDER, file), 'utf8'))]),
);

const place = (turn: number, attempt = 1, dispatch_id: string | null = null): Place => ({
  dispatch_id,
  turn,
  attempt,
});
const top = place(1);
const SOURCES = [{ path: 'runs/7', source_type: 'run', snippet: 'memory full', score: 0.9 }];
const chat = () => new LogText().start('chat');
const say = (log: LogText, content: string, where = top) =>
  log.add('llm.stream', ORACLE, { content, ...where });
const call = (log: LogText, tool: string, where = top) =>
  log.usage(ORACLE, where).add('llm.tool_call', ORACLE, {
    tool,
    args: { query: 'authentication' },
    tool_call_id: 't1',
    ...where,
  });
const answer = (
  log: LogText,
  tool: string,
  status: 'ok' | 'timeout',
  result: string | { error: string },
) =>
  log.add('llm.tool_result', ORACLE, {
    tool,
    result,
    tool_call_id: 't1',
    status,
    duration_ms: 5,
    truncated: false,
    ...(status === 'ok' && { sources: SOURCES }),
    ...top,
  });
const warn = (log: LogText, code: string, message: string, more = {}) =>
  log.add('system.warning', ORACLE, { message, code, ...more });
const fail = (log: LogText, code: string, retryable = true) =>
  log.add('lifecycle.failed', ORACLE, {
    error: `It ended with ${code}.`,
    code,
    retryable,
    report: null,
  });

/** The sequences of the original front ends as logs, and difficult cases. */
const DOCUMENTED: Record<string, () => LogText> = {
  typical: () =>
    say(say(chat(), 'I found several '), 'workouts.')
      .usage(ORACLE, top)
      .complete(ORACLE, 'I found several workouts.'),
  'with function calls': () => {
    const log = call(say(chat(), 'Let me look.'), 'search_runs');
    return say(answer(log, 'search_runs', 'ok', 'Found:\n1. run 7'), 'Run 7.', place(2))
      .usage(ORACLE, place(2))
      .complete(ORACLE, 'Let me look.\n\nRun 7.');
  },
  'error first': () => fail(chat(), 'RATE_LIMITED'),
  'error in the middle': () => fail(say(chat(), 'The disk is'), 'OVERLOADED'),
  'function timeout': () => {
    const log = answer(call(chat(), 'search_runs'), 'search_runs', 'timeout', {
      error: 'no result within 30 s',
    });
    return say(log, 'That took too long.', place(2))
      .usage(ORACLE, place(2))
      .complete(ORACLE, 'That took too long.');
  },
  'limit warnings': () => {
    const log = warn(
      chat(),
      'LIMIT_WARNING',
      'Approaching iteration limit (7/10). Consider wrapping up your response.',
      {
        current_value: 7,
        limit_value: 10,
        percent: 70,
        limit_type: 'iteration',
      },
    );
    return say(log, 'Short.').usage(ORACLE, top).complete(ORACLE, 'Short.', true);
  },
  'no progress': () =>
    warn(
      chat(),
      'NO_PROGRESS',
      'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
      {
        repeated_action: 'search_code({"query": "authentication"})',
      },
    ).complete(ORACLE, 'Nothing came of it.', true),
  'error limit': () =>
    chat()
      .add('system.error', ORACLE, {
        message: 'Multiple consecutive errors (3/3). Terminating with partial results.',
        code: 'ERROR_LIMIT',
        error_count: 3,
        last_error: 'Tool execution failed: connection timeout',
      })
      .complete(ORACLE, 'Partial.', true),
  'cancelled in a call': () =>
    call(say(chat(), 'Let me look.'), 'search_runs').add('lifecycle.cancelled', null, {
      reason: 'Execution was cancelled by user',
      report: null,
    }),
  'a chat taken up again after its process was lost': () =>
    say(say(chat(), 'The disk '), 'The disk is full.', place(1, 2))
      .usage(ORACLE, place(1, 2))
      .complete(ORACLE, 'The disk is full.'),
  'a diagnosis with an attempt that failed': () => {
    const log = new LogText().start('diagnosis');
    const global = (content: string, where: Place) =>
      log.add('llm.stream', GLOBAL, { content, ...where });
    global('I will se', top);
    log.usage(GLOBAL, top, [4, 2], 'error');
    log.add('system.warning', GLOBAL, {
      message: 'The stream broke.',
      code: 'AI_ERROR',
      retryable: true,
    });
    global('I send one team.', place(1, 2));
    log.usage(GLOBAL, place(1, 2));
    const source = {
      agent_id: 's',
      agent_type: 'team_supervisor',
      agent_name: 'Super',
      team_name: 'Web',
    } as const;
    log.add('dispatch.team', GLOBAL, {
      team_name: 'Web',
      task: 'Look.',
      dispatch_id: 'd1',
      agent_id: 's',
    });
    log.add('llm.stream', source, { content: 'Half a tho', ...place(1, 1, 'd1') });
    log.usage(source, place(1, 1, 'd1'), [4, 2], 'aborted');
    log.add('llm.stream', source, { content: 'A whole thought.', ...place(1, 2, 'd1') });
    log.usage(source, place(1, 2, 'd1'));
    log.add('dispatch.report', source, {
      dispatch_id: 'd1',
      status: 'ok',
      reasons: [],
      summary: 'All is well.',
      findings: [],
    });
    global('The web is well.', place(2));
    return log
      .usage(GLOBAL, place(2))
      .complete(GLOBAL, 'The web is well. Found 0 warnings, 0 critical issues.');
  },
  'a diagnosis that asks for an approval': () => {
    const log = new LogText().start('diagnosis');
    const target = { tool: 'restart_process', args: { node: 'shop' }, tool_call_id: 't2' };
    const message = 'Restart the process of Shop.';
    log.usage(GLOBAL, top).add('llm.tool_call', GLOBAL, { ...target, ...top });
    log.add('system.approval', GLOBAL, {
      approval_id: 't2',
      ...target,
      dispatch_id: null,
      turn: 1,
      node: 'shop',
      message,
      args_digest: 'a'.repeat(64),
      risk: 'Requests fail.',
      expires_at: '2026-01-01T00:10:00.000Z',
    });
    log.add('system.decision', null, {
      approval_id: 't2',
      decision: 'approve',
      by: 'ann',
      message: `ann has approved it: ${message}`,
    });
    log.add('llm.tool_result', GLOBAL, {
      tool: 'restart_process',
      tool_call_id: 't2',
      node: 'shop',
      status: 'ok',
      ...top,
      duration_ms: 5,
      truncated: false,
      result: { status: 'ok', summary: 'Restarted.' },
      approval: { approval_id: 't2', decision: 'approve', by: 'ann' },
    });
    return log.usage(GLOBAL, place(2)).complete(GLOBAL, 'The shop was down.');
  },
  'a diagnosis under way': () => {
    const log = call(chat(), 'start_diagnosis');
    warn(log, 'TOOL_RUNNING', 'The diagnosis of Shop (run r7) is running, with 4 events so far.', {
      run_id: 'r7',
      topology_id: 7,
      status: 'running',
      last_sequence: 4,
      tool: 'start_diagnosis',
      tool_call_id: 't1',
      elapsed_ms: 12,
    });
    answer(log, 'start_diagnosis', 'ok', 'Nothing was found to be wrong.');
    return say(log, 'It is well.', place(2))
      .usage(ORACLE, place(2))
      .complete(ORACLE, 'It is well.');
  },
  ...Object.fromEntries(
    ['AI_ERROR', 'DEADLINE', 'LOG_LIMIT', 'AGENT_CRASHED', 'INTERNAL_ERROR'].map((code) => [
      `failed with ${code}`,
      () => fail(say(chat(), 'The disk'), code, code !== 'AI_ERROR' && code !== 'LOG_LIMIT'),
    ]),
  ),
};

/** All logs by name. */
export const LOGS: Record<string, string[]> = {
  ...RECORDED,
  ...Object.fromEntries(Object.entries(DOCUMENTED).map(([name, log]) => [name, log().frames])),
};
