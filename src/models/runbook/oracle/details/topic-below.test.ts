import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  asOwn,
  BILLING,
  converse,
  tellWorld,
  USUAL,
} from '../../../../../test/support/incidents/oracle-world.js';

describe('a topic at a node that depends on another one', () => {
  it.each(['why is the customer portal slow?', 'is the customer portal slow?'])(
    'names what is wrong about it there: %s',
    (question) =>
      expect(converse([question])).toMatch(
        /\nFound about response times at what Customer Portal depends on:\n- Invoice API: answers in 1503 ms, slower than 500 ms \(event 39\)\n/,
      ),
  );

  it('measures it now where the chat has the topology, if the question asks why', () => {
    const slow = 'answers in 2500 ms, slower than 500 ms';
    const answer = (tool: string, args: JsonObject): Json =>
      tool !== 'http_probe'
        ? tellWorld(USUAL)(tool, args)
        : args['node'] === 'invoice-api'
          ? {
              status: 'degraded',
              summary: slow,
              measurements: {},
              issues: [{ severity: 'warning', symptom: 'slow', title: slow, detail: '' }],
            }
          : { status: 'ok', summary: 'answered 200 in 12 ms', measurements: {}, issues: [] };
    expect(
      converse(['why is the customer portal slow?'], { topology: asOwn(BILLING), answer }),
    ).toContain(
      `at what Customer Portal depends on:\n- Invoice API: ${slow}\nThat was measured just now.`,
    );
  });
});

it('a topic as a guess after a question about a node is denied for that node only', () =>
  expect(converse(['is the blog web ok?', 'is it a network problem?'])).toMatch(
    /^No, not at Blog Web\. Nothing was found to be wrong about the network where it was measured:/,
  ));
