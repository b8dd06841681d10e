import { createRequire, register } from 'node:module';
import { startHelper } from '../lib/helper.mjs';
import { product, TRIGGER } from '../lib/runners.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Tokens of a diagnosis';
export const about = `A diagnosis by 13 agents (one global supervisor, three teams, nine workers; one node fails) whose model is a server that speaks Anthropic's protocol and
decides as the built-in planner does. The texts of each request (tools, instructions, messages) are counted with the tokenizer o200k_base.
"marked": what Anthropic reads from its cache, by the marks of the requests. "by the prefix": what providers recognise that cache by
themselves, in steps of 128 tokens. A cache counts from 1,024 tokens on, and no entry expires during the run.`;

/** Tokens from which on providers keep a prefix, and the step in which an automatic cache grows. */
const LEAST_CACHED = 1_024;
const STEP = 128;

// The provider of the tests is TypeScript.
register('../../scripts/ts-hooks.mjs', import.meta.url);
const require = createRequire(import.meta.url);

export async function run({ redis }) {
  const { Tiktoken } = require('js-tiktoken/lite');
  const encoding = new Tiktoken(require('js-tiktoken/ranks/o200k_base'));
  const [{ startProviderServer }, { runbookReply }] = await Promise.all(
    ['provider-server', 'runbook-provider'].map(
      (name) => import(`../../test/support/models/${name}.ts`),
    ),
  );
  const provider = await startProviderServer();
  provider.otherwise = runbookReply;
  const callers = await startHelper('callers');
  const env = {
    MODEL: 'anthropic/some-model',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: provider.url,
  };
  const { process, target } = await product(redis, callers, { env, failing: 'n5' });
  await callers.call('one', { ...target, ...TRIGGER });

  const requests = provider.exchanges.map(({ body }) => {
    const blocks = blocksOf(body);
    return { blocks, tokens: encoding.encode(blocks.map(({ text }) => text).join('\n'), 'all') };
  });
  const table = new Table();
  const sizes = requests.map(({ tokens }) => tokens.length);
  for (const [what, count] of [
    ['input', sum(sizes)],
    ['input, the largest request', Math.max(...sizes)],
    ['read from the cache, marked', sum(marked(requests, encoding))],
    ['read from the cache, by the prefix', sum(common(requests))],
  ]) {
    table.add(what, 'consilium', 'tokens', count);
    table.note(`${what}: ${count.toLocaleString('en')} tokens, in ${requests.length} requests.`);
  }
  await Promise.all([process.stop(), callers.stop(), provider.close()]);
  return table;
}

/** The texts of a request in the order in which a provider reads them. */
function blocksOf({ tools = [], system = [], messages }) {
  const parts = [
    ...tools.map(({ cache_control: mark, ...tool }) => [JSON.stringify(tool), mark]),
    ...system.map(({ text, cache_control: mark }) => [text, mark]),
    ...messages.flatMap(({ content }) =>
      content.map(({ cache_control: mark, ...block }) => [
        block.text ?? JSON.stringify(block),
        mark,
      ]),
    ),
  ];
  return parts.map(([text, mark]) => ({ text, isMarked: mark !== undefined }));
}

/**
 * For each request, the tokens up to the last block that an earlier request has marked after the
 * same blocks.
 */
function marked(requests, encoding) {
  const kept = new Set();
  return requests.map(({ blocks }) => {
    const prefixes = blocks.map((_, i) => blocks.slice(0, i + 1).map(({ text }) => text));
    const known = prefixes.findLast((prefix) => kept.has(JSON.stringify(prefix)));
    blocks.forEach(({ isMarked }, i) => {
      if (isMarked) kept.add(JSON.stringify(prefixes[i]));
    });
    return worthKeeping(known === undefined ? 0 : encoding.encode(known.join('\n'), 'all').length);
  });
}

/** For each request, the tokens that it begins with as an earlier one does. */
function common(requests) {
  return requests.map(({ tokens }, at) => {
    const shared = requests.slice(0, at).map(({ tokens: earlier }) => {
      const differs = tokens.findIndex((token, i) => token !== earlier[i]);
      return differs === -1 ? tokens.length : differs;
    });
    return worthKeeping(Math.floor(Math.max(0, ...shared) / STEP) * STEP);
  });
}

const sum = (counts) => counts.reduce((all, count) => all + count, 0);
const worthKeeping = (count) => (count >= LEAST_CACHED ? count : 0);
