import fc from 'fast-check';
import {
  SLOTS,
  type DraftEvent,
  type Source,
  type Turn,
} from '../../../src/domain/events/event.js';
import type { Json } from '../../../src/lib/json.js';
import type { RunSpec } from '../../../src/domain/run.js';
import { anyText } from '../generators/any-text.js';

/**
 * Text with difficult characters: quotes, NUL, all kinds of line ends, lone surrogates, and `data:`
 * itself.
 */
export const nastyText = fc.oneof(
  anyText({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '"\\',
    '\n\n',
    '\r\n',
    '\u2028\u2029',
    '\ud800',
    '\udc00x',
    '😀',
    '\ndata: {}\n\n',
    '","sequence":7',
    'ÿ€',
  ),
);

/**
 * JSON that a Lua script could change if it decoded it: `[]`, `{}`, big integers, small fractions.
 */
export const nastyJson: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    [],
    {},
    [[]],
    { a: [] },
    9007199254740991,
    1e21,
    12345678901234567890,
    5e-324,
    -0,
    0.1,
  ),
  nastyText,
);

const source: fc.Arbitrary<Source> = fc.record({
  agent_id: fc.constantFrom('1', 'global'),
  agent_type: fc.constantFrom('worker', 'team_supervisor'),
  agent_name: nastyText,
  team_name: nastyText,
});
const turn: fc.Arbitrary<Turn> = fc.record({
  dispatch_id: fc.constantFrom('d1', 'd2', null),
  turn: fc.nat(9),
  attempt: fc.nat(3),
});
const id = fc.constantFrom('t1', 't2', 'd1_t3', 'x y', 'é');
const tokens = fc.oneof(fc.nat(), fc.constantFrom(0, 1e12, NaN, -1, 0.5, Infinity));
const cost = fc.constantFrom(undefined, undefined, 0, 0.00002, 0.1, 12.34567891, 999_999.99999999);
const data = <T>(model: fc.Arbitrary<T>) =>
  fc.tuple(turn, model).map(([where, more]) => ({ ...where, ...more }));

const event = (name: DraftEvent['name'], payload: fc.Arbitrary<object>): fc.Arbitrary<DraftEvent> =>
  fc.record({
    name: fc.constant(name),
    source,
    data: payload,
  }) as unknown as fc.Arbitrary<DraftEvent>;

export const text = (content: string): DraftEvent => ({
  name: 'llm.stream',
  source: null,
  data: { content, dispatch_id: null, turn: 1, attempt: 1 },
});

/** An event for which every format except two has a frame at once. */
export const warning = (message: string): DraftEvent => ({
  name: 'system.warning',
  source: null,
  data: { message, code: 'X' },
});

/** A warning that occurs once in a run, optionally not before a number of tokens. */
const once: fc.Arbitrary<DraftEvent> = fc.record({
  name: fc.constant('system.warning' as const),
  source,
  data: fc.record({
    message: fc.constantFrom(`at ${SLOTS.tokensInWords} of "7"`, 'x'),
    code: fc.constant('X'),
    current: fc.constantFrom(SLOTS.tokens, 7),
    percent: fc.constant(SLOTS.percent),
  }),
  when: fc.oneof(
    fc.record({ once: fc.constantFrom('a', 'token-soft') }),
    fc.record({
      once: fc.constantFrom('b', 'c'),
      tokens: fc.record({
        from: fc.constantFrom(0, 1e6, 1e12),
        budget: fc.constantFrom(1, 300, 5e8),
      }),
    }),
  ),
});

/** Generates any event that does not end a run. */
export const openEvent: fc.Arbitrary<DraftEvent> = fc.oneof(
  event('llm.stream', data(fc.record({ content: nastyText }))),
  event(
    'llm.tool_call',
    data(
      fc.record({ tool: nastyText, args: fc.dictionary(nastyText, nastyJson), tool_call_id: id }),
    ),
  ),
  event(
    'llm.tool_result',
    data(
      fc.record({
        tool: nastyText,
        result: nastyJson,
        tool_call_id: id,
        status: fc.constantFrom('ok', 'error'),
        duration_ms: fc.nat(),
        truncated: fc.boolean(),
      }),
    ),
  ),
  event(
    'llm.usage',
    data(
      fc.record({
        model: nastyText,
        input_tokens: tokens,
        output_tokens: tokens,
        cost: cost,
        finish_reason: nastyText,
      }),
    ),
  ),
  event(
    'dispatch.worker',
    fc.record({ worker_name: nastyText, task: nastyText, dispatch_id: id, agent_id: id }),
  ),
  event(
    'dispatch.report',
    fc.record({
      dispatch_id: id,
      status: fc.constant('ok'),
      reasons: fc.constant([]),
      summary: nastyText,
      findings: fc.constant([]),
    }),
  ),
  once,
  event(
    'system.warning',
    fc.record({ message: nastyText, code: fc.constant('X'), details: nastyJson }),
  ),
);

/** Generates any event that ends a run. */
export const terminalEvent: fc.Arbitrary<DraftEvent> = fc.oneof(
  event(
    'lifecycle.completed',
    fc.record({
      summary: nastyText,
      report: fc.constant(null),
      partial: fc.boolean(),
      reasons: fc.array(nastyText),
    }),
  ),
  event(
    'lifecycle.failed',
    fc.record({
      error: nastyText,
      code: fc.constant('X'),
      retryable: fc.boolean(),
      report: fc.constant(null),
    }),
  ),
  event('lifecycle.cancelled', fc.record({ reason: nastyText, report: fc.constant(null) })),
);

export const started: DraftEvent = {
  name: 'lifecycle.started',
  source: null,
  data: { kind: 'diagnosis', topology_id: 1, topology_name: 'T', user_message: '?' },
};

export const completed: DraftEvent = {
  name: 'lifecycle.completed',
  source: { agent_id: 'g', agent_type: 'global_supervisor', agent_name: 'G', team_name: null },
  data: { summary: 'Done.', report: null, partial: false, reasons: [] },
};

/** The specification of a run as the log stores it. Its topology does not matter to the log. */
export const spec: RunSpec = {
  kind: 'diagnosis',
  owner: 'anonymous',
  topology: {
    id: 1,
    name: 'T',
    nodes: [],
    teams: [],
    globalSupervisor: { agentId: 'g', name: 'G' },
  },
  topologyVersion: 1,
  behaviours: {},
  userMessage: '?',
  limits: { timeoutSeconds: 900 } as RunSpec['limits'],
  onDisconnect: 'continue',
};

export const dispatched = (id: string): DraftEvent => ({
  name: 'dispatch.worker',
  source: null,
  data: { worker_name: 'w', task: '?', dispatch_id: id, agent_id: '1' },
});

export const failed = (error: string): DraftEvent => ({
  name: 'lifecycle.failed',
  source: null,
  data: { error, code: 'LOG_LIMIT', retryable: false, report: null },
});
