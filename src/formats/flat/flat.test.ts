import { describe, expect, test } from '@jest/globals';
import { encodeLog, framesOf, payloads } from '../../../test/support/streams/encode.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LOGS } from '../../../test/support/streams/logs.js';

interface Logged {
  run_id: string;
  source: {
    agent_id: string;
    agent_name: string;
    agent_type: string;
    team_name: string | null;
  } | null;
  event: { category: string; action: string };
  data: Record<string, unknown>;
}

test('encodes a recorded chat turn to its fixture', () => expectFixture('flat'));

describe.each(Object.keys(LOGS))('flat: %s', (name) => {
  const log = LOGS[name] as string[];
  const events = payloads(log.join('')) as unknown as Logged[];
  const flat = payloads(encodeLog('flat', log));

  test('adds flat keys to the event', () => {
    expect(flat).toEqual(
      events.map((event) => ({
        ...event,
        type: `${event.event.category}.${event.event.action}`,
        runId: event.run_id,
        agentId: event.source?.agent_id ?? null,
        agentName: event.source?.agent_name ?? null,
        agentType: event.source?.agent_type ?? null,
        teamName: event.source?.team_name ?? null,
        content: expect.any(String),
        metadata: event.data,
      })),
    );
    const names = (text: string) =>
      framesOf(text).map((frame) => frame.slice(0, frame.indexOf('\n')));
    expect(names(encodeLog('flat', log))).toEqual(names(log.join('')));
  });

  test('fills content from the data of each event', () => {
    const said = (type: string, key: string) => {
      const found = events.filter(({ event }) => `${event.category}.${event.action}` === type);
      expect(flat.filter((each) => each['type'] === type).map(({ content }) => content)).toEqual(
        found.map(({ data }) => data[key]),
      );
    };
    said('llm.stream', 'content');
    said('llm.reasoning', 'thought');
    said('dispatch.report', 'summary');
    said('lifecycle.completed', 'summary');
    said('lifecycle.failed', 'error');
    said('system.warning', 'message');
  });
});
