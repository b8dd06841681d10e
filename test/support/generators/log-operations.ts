import fc from 'fast-check';
import { completed, nastyText, openEvent, terminalEvent, text } from '../incidents/drafts.js';
import type { DraftEvent } from '../../../src/domain/events/event.js';
import type { Step } from '../../../src/event-log/log-port.js';

/** Operations on one run, by writers that may be late, duplicated or ahead. */
export type Op =
  | { op: 'create' }
  | { op: 'claim'; writer: string; suspectAt: number; counts: boolean; name: string }
  | {
      op: 'append';
      writer: string;
      late: number;
      ahead: number;
      events: DraftEvent[];
      more: Pick<Step, 'checkpoint' | 'messages' | 'done' | 'progress'>;
    }
  | { op: 'seal'; event: DraftEvent }
  | { op: 'trim' };

const writer = fc.constantFrom('top', 'd1', 'd1_2');
// Checkpoints and messages are JSON.
const json = nastyText.map((nasty) => JSON.stringify(nasty));
const events = fc.oneof(
  { weight: 12, arbitrary: fc.array(openEvent, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(openEvent, { maxLength: 2 }), terminalEvent)
      .map(([open, last]) => [...open, last]),
  },
);
const append: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('append' as const),
  writer,
  late: fc.constantFrom(0, 0, 0, 0, 1),
  ahead: fc.constantFrom(1, 1, 1, 1, 1, 0, 2, -1),
  events,
  more: fc.record(
    {
      checkpoint: json,
      messages: fc.array(json, { maxLength: 3 }),
      done: fc.constantFrom(false, false, false, true),
      progress: fc.constantFrom(true, false, 'going' as const),
    },
    { requiredKeys: [] },
  ),
});
/** A random operation. */
export const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Op>({ op: 'create' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('claim' as const),
      writer,
      suspectAt: fc.constantFrom(0, 0, 2),
      counts: fc.boolean(),
      name: fc.constantFrom('', '', 'a', 'b'),
    }),
  },
  { weight: 14, arbitrary: append },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('seal' as const), event: terminalEvent }) },
);

/** Bounds of a log: few events, few bytes, enough of both. */
export const BOUNDS = [
  { logMaxEvents: 12, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
  { logMaxEvents: 1_000, logMaxBytes: 8_192, eventMaxBytes: 1_500 },
  { logMaxEvents: 1_000, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
] as const;

const step = (more: Partial<Extract<Op, { op: 'append' }>>): Op => ({
  op: 'append',
  writer: 'top',
  late: 0,
  ahead: 1,
  events: [text('x')],
  more: {},
  ...more,
});
const claimOf = (name: string, suspectAt = 0): Op => ({
  op: 'claim',
  writer: name,
  suspectAt,
  counts: true,
  name: '',
});
/** Operations that produce each result at least once, whatever the random ones do. */
export const EVERY_ANSWER: [(typeof BOUNDS)[number], Op[], Op[]] = [
  BOUNDS[0],
  [
    claimOf('top'),
    claimOf('top'),
    claimOf('top', 2),
    step({}),
    step({ ahead: 2 }),
    step({ late: 1 }),
    step({ events: Array.from({ length: 12 }, () => text('x')) }),
    claimOf('d1'),
    step({ writer: 'd1', more: { done: true } }),
    claimOf('d1'),
    { op: 'seal', event: completed },
    claimOf('top'),
    step({}),
  ],
  [claimOf('top'), step({})],
];

/** A run that does not end, so that its log cannot be trimmed. */
export const NEVER_SEALED: typeof EVERY_ANSWER = [BOUNDS[0], [claimOf('top')], []];
