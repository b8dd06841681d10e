import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { ask } from '../support/chat.js';
import { expectValid } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer, refuse } from '../support/models/provider-server.js';
import { partsOf } from '../support/models/request-parts.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';

const scene = modelScene((exchange) =>
  (roleOf(exchange) === 'oracle' ? answer({ text: 'Well.' }) : runbookReply)(exchange),
);

function rule(id: string, trigger: string, expression: string, action: string): void {
  const head = `[rule]\nid = "${id}"\nname = "x"\ndescription = "x"\nversion = "1.0.0"\ntrigger = "${trigger}"\n`;
  scene.write(
    `rules/${id}.toml`,
    `${head}[condition]\nexpression = '${expression}'\n[action]\n${action}`,
  );
}
const defer = (message: string) =>
  `type = "emit_event"\nevent_type = "agent.self.remind"\n[action.payload]\nmessage = "${message}"\ncategory = "then"\ndeliver = { when = "next_session" }\n`;

/**
 * The service, with rules that defer a notice at the beginning and at the end of an agent that is
 * asked "Remind me".
 */
function service(): Promise<Api> {
  rule(
    'early',
    'on_query_start',
    'event.payload.message.contains("Remind me")',
    defer('look at the disk of {{topology.name}}'),
  );
  rule(
    'asked',
    'on_query_start',
    'event.payload.message.contains("Remind me")',
    'type = "set_state"\nkey = "asked"\nvalue = true\n',
  );
  rule('late', 'on_session_end', 'has(state.asked)', defer('and at {{agent.type}}'));
  return scene.service({ ...scene.hosted(), RULES_DIR: join(scene.folder, 'rules') });
}

/**
 * Runs a turn of a conversation. Returns the request to its model and the notices that the person
 * sees.
 */
async function turn(
  { api, topology }: { api: Api; topology: number },
  caller: string,
  session: string,
  message = 'Is it well?',
) {
  const before = scene.server.exchanges.length;
  const headers = { cookie: `consilium_caller=the-caller-named-${caller}` };
  const { runId } = await ask(
    `${api.url}/chat/stream`,
    { message, session_id: session, topology_id: topology },
    headers,
  );
  const events = expectValid((await (await api.follow(runId, headers)).end()).log);
  const warnings = events.filter(({ data }) => data['code'] === 'AGENT_SELF_REMIND');
  return {
    sent: JSON.stringify(scene.server.exchanges[before]?.body),
    told: warnings.map(({ data }) => data['message']),
  };
}

describe('a notice for the next session', () => {
  it('of a chat reaches the model and the person once, in the next conversation of the caller', async () => {
    const api = await service();
    const topology = await scene.shop();
    const shop = { api, topology: await api.store(topology) };
    const early = `from an earlier session: then: look at the disk of ${topology.name}`;
    const late = 'from an earlier session: then: and at oracle';
    expect((await turn(shop, 'one', 'monday', 'Remind me')).told).toEqual([]);
    expect((await turn(shop, 'two', 'elsewhere')).told).toEqual([]);
    const again = await turn(shop, 'one', 'monday');
    expect([again.told, again.sent.includes('earlier session')]).toEqual([[], false]);
    const next = await turn(shop, 'one', 'tuesday');
    expect(next.told).toEqual([early, late]);
    // What an earlier session has left is data, with the run that it comes from.
    expect(next.sent).toMatch(/\[data \w+ from an earlier session, run [\w-]+\]/);
    const { own, data } = partsOf(scene.server.exchanges.at(-1));
    expect(own).not.toContain('earlier session');
    expect(data).toContain(`${early}\n${late}`);
    const after = await turn(shop, 'one', 'wednesday');
    expect([after.told, after.sent.includes('earlier session')]).toEqual([[], false]);
  });

  it('is delivered again if the model was not reachable', async () => {
    const api = await service();
    const shop = { api, topology: await api.store(await scene.shop()) };
    await turn(shop, 'one', 'monday', 'Remind me');
    scene.server.script(refuse(401));
    const unheard = await turn(shop, 'one', 'tuesday');
    expect(unheard.told).toHaveLength(2);
    expect((await turn(shop, 'one', 'wednesday')).told).toEqual(unheard.told);
    expect((await turn(shop, 'one', 'thursday')).told).toEqual([]);
  });

  it('H5: never comes from a diagnosis', async () => {
    const api = await service();
    const shop = { api, topology: await api.store(await scene.shop()) };
    await (await api.trigger(shop.topology, { userMessage: 'Remind me' })).end();
    const next = await turn(shop, 'one', 'there');
    expect([next.told, next.sent.includes('earlier session')]).toEqual([[], false]);
  });

  it('may come from the oracle, if the person asked for it', async () => {
    const api = await scene.service(scene.hosted());
    const shop = { api, topology: await api.store(await scene.shop()) };
    const remind = {
      call: 'remind_self',
      args: '{"message":"ask how the disk is","when":"next_session"}',
    };
    scene.server.script(answer(remind), answer({ text: 'I will.' }));
    expect((await turn(shop, 'one', 'monday')).told).toEqual([]);
    expect((await turn(shop, 'one', 'tuesday')).told).toEqual([
      'from an earlier session: reminder: ask how the disk is',
    ]);
  });

  it('H5: never comes from a conversation in which something was looked up', async () => {
    const api = await scene.service(scene.hosted());
    const shop = { api, topology: await api.store(await scene.shop()) };
    const remind = { call: 'remind_self', args: '{"message":"run this","when":"next_session"}' };
    scene.server.script(answer({ call: 'list_runs', args: '{}' }), answer({ text: 'Read.' }));
    await turn(shop, 'one', 'monday', 'What was diagnosed?');
    scene.server.script(answer({ text: 'It says: run this.' }));
    await turn(shop, 'one', 'monday', 'What did it say?');
    scene.server.script(answer(remind), answer({ text: 'I will.' }));
    await turn(shop, 'one', 'monday', 'Remind me of it.');
    const next = await turn(shop, 'one', 'tuesday');
    expect([next.told, next.sent.includes('earlier session')]).toEqual([[], false]);
  });
});
