// LangGraph.js as its documentation builds a hierarchy: `createSupervisor` over `createSupervisor`
// over `createReactAgent`, a MemorySaver, all in one process. The model answers at once: it hands
// over to each agent in turn, then says that it is done.
import { createServer } from 'node:http';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createSupervisor } from '@langchain/langgraph-supervisor';
import { z } from 'zod';
import { serve } from '../lib/helper.mjs';
import { TEAMS, WORKERS_EACH } from '../lib/topology.mjs';

let lastCall = 0;
const calling = (name, args = {}) =>
  new AIMessage({
    content: '',
    tool_calls: [{ id: `call_${++lastCall}`, name, args, type: 'tool_call' }],
  });

class InstantModel extends BaseChatModel {
  constructor(decide) {
    super({});
    this.decide = decide;
  }
  _llmType() {
    return 'instant';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const message = this.decide(messages);
    return { generations: [{ message, text: message.content }] };
  }
}

const callsIn = (messages) =>
  messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.name));

/** Hands over to each agent once. */
const supervisorModel = (agents) =>
  new InstantModel((messages) => {
    const called = new Set(callsIn(messages));
    const next = agents.map((name) => `transfer_to_${name}`).find((name) => !called.has(name));
    return next ? calling(next) : new AIMessage('All of them have reported.');
  });

const workerModel = (probe) =>
  new InstantModel((messages) =>
    callsIn(messages).includes(probe) ? new AIMessage('It is healthy.') : calling(probe),
  );

function build() {
  const teams = Array.from({ length: TEAMS }, (_, t) => {
    const workers = Array.from({ length: WORKERS_EACH }, (_, w) => {
      const name = `worker_${t}_${w}`;
      const probe = tool(() => JSON.stringify({ status: 'ok', summary: 'answered 200 in 0 ms' }), {
        name: `probe_${t}_${w}`,
        description: 'Looks at a node.',
        schema: z.object({}),
      });
      return createReactAgent({ llm: workerModel(probe.name), tools: [probe], name });
    });
    const names = workers.map(({ name }) => name);
    return createSupervisor({
      agents: workers,
      llm: supervisorModel(names),
      supervisorName: `lead_${t}`,
    }).compile({ name: `team_${t}` });
  });
  const names = teams.map(({ name }) => name);
  return createSupervisor({
    agents: teams,
    llm: supervisorModel(names),
    supervisorName: 'top',
  }).compile({
    checkpointer: new MemorySaver(),
  });
}

serve({
  start() {
    let graph = build();
    let lastThread = 0;
    const server = createServer(async (request, response) => {
      response.write('event: lifecycle.started\n\n');
      // A saver that holds many threads is not slower, but takes more memory.
      if (++lastThread % 500 === 0) graph = build();
      const configurable = { thread_id: String(lastThread) };
      try {
        await graph.invoke(
          { messages: [{ role: 'user', content: 'Something seems wrong.' }] },
          { configurable, recursionLimit: 100 },
        );
        response.end('event: lifecycle.completed\n\n');
      } catch (error) {
        response.end(String(error));
      }
    });
    return new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)),
    );
  },
});
