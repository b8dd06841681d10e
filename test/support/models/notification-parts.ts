import { agentEvent, type AgentEvent } from '../../../src/domain/notifications/agent-event.js';
import type { DeliveryContext } from '../../../src/domain/notifications/deferral.js';
import type { PumpWorld } from '../../../src/domain/notifications/pump.js';
import type { Rule } from '../../../src/domain/notifications/rule.js';
import { subscriberFile, type Subscriber } from '../../../src/domain/notifications/subscriber.js';

/** A moment of an agent's work at which notifications may be delivered. */
export const place = (more: Partial<DeliveryContext> = {}): DeliveryContext => ({
  now: 0,
  turn: 1,
  toolsDone: {},
  contextUsage: 0,
  tokenUsage: 0,
  messages: 0,
  ...more,
});

interface Parts {
  subscriber?: object;
  events?: object;
  batching?: object;
  output?: object;
}

/** A subscriber to events of tools; parts of its file replace the defaults. */
export const subscriber = ({
  subscriber: head,
  events,
  batching,
  output,
}: Parts = {}): Subscriber =>
  subscriberFile.parse({
    subscriber: { id: 'sub', name: 'Sub', description: 'For a test', version: '1.0.0', ...head },
    events: { types: ['tool.*'], severity_filter: 'debug', ...events },
    batching: { dedupe_key: 'id', ...batching },
    output: { template: 'seen: {{payload.n}}', inject_at: 'after_tool', ...output },
  });

/** A failed call of a tool. */
export const event = (
  n: number,
  more: Partial<Parameters<typeof agentEvent>[0]> = {},
): AgentEvent =>
  agentEvent({
    id: `e${n}`,
    type: 'tool.call.failure',
    source: 'w1',
    now: 0,
    payload: { n },
    ...more,
  });

let minted = 0;
/** What a pump knows: rules always hold. */
export const world = (
  subscribers: Subscriber[],
  at: DeliveryContext,
  rules: Rule[] = [],
): PumpWorld => ({
  subscribers,
  rules,
  at,
  contextOf: () => ({}),
  test: () => ({ holds: true }),
  mint: () => `minted${++minted}`,
});
