import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ EGRESS_DENY: '127.0.0.0/8, [::1]' });
});
afterAll(() => scene.close());

describe('C3: tools connect only where they may', () => {
  it.each([
    ['http://169.254.169.254/latest/meta-data/', '169.254.0.0/16 is denied'],
    ['http://[::ffff:169.254.169.254]/', '169.254.0.0/16 is denied'],
    ['http://[fd00:ec2::254]/', '[fd00:ec2::254/128] is denied'],
    ['http://metadata.google.internal/', 'metadata.google.internal is denied'],
    ['http://127.0.0.1:8080/', '127.0.0.0/8 is denied'],
  ])('refuses to store a topology with %s', async (endpoint, rule) => {
    const answer = await api.ask('POST', '/topologies', {
      body: topologyOf({ shop: { endpoint } }),
    });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(answer.data).toMatchObject({
      errors: [{ path: 'nodes[0].endpoint', message: `tools may not connect there: ${rule}` }],
    });
  });

  it('checks what a name resolves to, and leaves its node unchecked', async () => {
    const target = await httpTarget(scene.targets, healthy);
    const endpoint = target.endpoint.replace('127.0.0.1', 'localhost');
    const run = await api.trigger(await api.store(topologyOf({ shop: { endpoint } })));
    const events = expectValid((await run.end()).text);
    const results = events.filter(({ key }) => key === 'llm.tool_result');
    const denied = results.filter(({ data }) => data['status'] === 'denied');
    expect(denied.map(({ data }) => data['tool'])).toEqual(
      expect.arrayContaining(['http_probe', 'tcp_probe']),
    );
    for (const { data } of denied) expect(data['result']).toMatchObject({ code: 'EGRESS_DENIED' });
    expect(target.hits).toBe(0);
    expect(events.at(-1)?.data['report']).toMatchObject({
      verdict: 'inconclusive',
      unchecked: [{ node: 'shop' }],
    });
  });
});
