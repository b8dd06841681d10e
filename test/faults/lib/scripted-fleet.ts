import { setTimeout as sleep } from 'node:timers/promises';
import {
  APICallError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3Prompt,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import { z } from 'zod';
import { readInstructions, type Brief } from '../../../src/domain/prompt/brief.js';
import { readTask } from '../../../src/domain/prompt/task-message.js';
import type { ToolResult } from '../../../src/domain/diagnosis/tool-result.js';
import type { ModelEntry } from '../../../src/models/models.js';
import { runbookModel } from '../../../src/models/runbook/runbook-model.js';
import type { Tool, ToolContext } from '../../../src/tools/tool.js';
import type { TestControl } from './test-control.js';

/** What a scripted tool does: the attributes of its node. */
export interface ToolOrders {
  /** Names its executions. */
  mark: string;
  /** Waits here until the test lets it pass. */
  gate?: string;
  /**
   * Kills its own process, the first so many times, after what it takes; unless that is to be
   * SPARED.
   */
  kills?: number;
  /** Blocks the event loop for so many ms, the first time. */
  blocks?: number;
  /** Takes so many ms. */
  takes?: number;
}

/** What the scripted model does: JSON after a `#` in the user's message. */
export interface ModelOrders {
  /** Names the run. */
  mark: string;
  /**
   * Who waits at a gate in the middle of its answer: `worker:api`, `team_supervisor:…`,
   * `global_supervisor:`.
   */
  hold?: { who: string; turn: number; gate: string };
  /** Between two parts of an answer, ms. */
  slow?: number;
  /** How many calls the provider refuses, with a pause of a second. */
  refused?: number;
  /** Who says that all is well without a measurement. */
  idle?: string;
  /** Who kills its own process whenever it asks its model, unless that is to be SPARED. */
  killer?: string;
}

const ordersIn = (message: string): ModelOrders =>
  message.includes('#')
    ? (JSON.parse(message.slice(message.indexOf('#') + 1)) as ModelOrders)
    : { mark: '' };

const args = z.strictObject({ node: z.string() });

/**
 * Tools of the tests: `look` may be repeated after a crash, `touch` may not. Each applies to the
 * nodes of the kind of its name.
 */
export function scriptedTools(control: TestControl): Tool[] {
  const tool = (name: string, repeatable: boolean): Tool => ({
    name,
    description: 'Does what the attributes of its node say.',
    access: 'read',
    measures: () => 'service',
    repeatable,
    args,
    appliesTo: (node) => node.kind === name,
    argsFor: (node) => ({ node: node.id }),
    run: (_args, context) => perform(control, name, context),
  });
  return [tool('look', true), tool('touch', false)];
}

async function perform(
  control: TestControl,
  who: string,
  { node, signal }: ToolContext,
): Promise<ToolResult> {
  const orders = node.attributes as unknown as ToolOrders & { token?: string };
  const { gate, kills = 0, blocks, takes } = orders;
  // Recorded histories have the older name.
  const mark = orders.mark ?? orders.token ?? '';
  const nth = await control.count(mark);
  await control.record({ event: 'tool-began', mark, who, nth });
  try {
    if (nth <= kills && process.env['SPARED'] === undefined) await die(takes);
    if (blocks !== undefined && nth === 1) block(blocks);
    if (gate !== undefined) await control.pass(gate, signal);
    if (takes !== undefined) await sleep(takes, undefined, { signal });
    // Time for a signal that came while the loop was blocked.
    await sleep(1, undefined, { signal });
    signal.throwIfAborted();
  } catch (error) {
    await control.record({ event: 'tool-aborted', mark, who, nth });
    throw error;
  }
  await control.record({ event: 'tool-ended', mark, who, nth });
  return { status: 'ok', summary: 'as it should be', measurements: { nth }, issues: [] };
}

async function die(afterMs = 0): Promise<never> {
  await sleep(afterMs);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const whoIs = (brief: Brief): string => {
  switch (brief.role) {
    case 'worker':
      return `worker:${brief.node.id}`;
    case 'team_supervisor':
      return `team_supervisor:${brief.team}`;
    case 'global_supervisor':
      return 'global_supervisor:';
    case 'oracle':
      return 'oracle:';
  }
};

const briefIn = (prompt: LanguageModelV3Prompt): Brief => {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  return readInstructions(system.join('\n\n')).brief;
};

/** The message of the person, as any agent reads it. */
const messageIn = (prompt: LanguageModelV3Prompt): string =>
  prompt
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) => (part.type === 'text' ? (readTask(part.text)?.reported ?? []) : []))
    .join('');

const notesIn = (prompt: LanguageModelV3Prompt): string[] =>
  prompt
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) =>
      part.type === 'text' && part.text.startsWith('[system notification]') ? [part.text] : [],
    );

/** @throws APICallError 429, so many times for a run */
async function refuse(
  control: TestControl,
  times: number,
  call: { mark: string; who: string; nth: number },
): Promise<void> {
  if ((await control.count(`refused ${call.mark}`)) > times) return;
  await control.record({ event: 'model-refused', ...call });
  throw new APICallError({
    message: 'Too many requests',
    url: 'http://scripted',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { 'retry-after': '1' },
  });
}

/**
 * Replies like the runbook, records each call, and waits if its orders say so. MODEL_CONCURRENCY
 * limits its calls.
 */
export function scriptedModel(control: TestControl): ModelEntry {
  const concurrency = Number(process.env['MODEL_CONCURRENCY'] ?? 0);
  const model: LanguageModelV3 = {
    ...runbookModel,
    async doStream(options) {
      const { prompt } = options;
      const brief = briefIn(prompt);
      const orders = ordersIn(messageIn(prompt));
      const call = {
        mark: orders.mark,
        who: whoIs(brief),
        nth: prompt.filter(({ role }) => role === 'assistant').length + 1,
      };
      await control.record({ event: 'model-began', ...call, notes: notesIn(prompt) });
      if (orders.refused !== undefined) await refuse(control, orders.refused, call);
      if (orders.killer === call.who && process.env['SPARED'] === undefined) await die();
      const parts = orders.idle === call.who ? idleTurn() : answer(control, options, orders, call);
      return { stream: ReadableStream.from(parts) };
    },
  };
  return {
    name: 'runbook',
    description: 'The runbook on control.',
    contextWindow: 1_000_000,
    model,
    ...(concurrency > 0 && { limits: { concurrency } }),
  };
}

/**
 * Replies to a prompt without the orders: the oracle understands no question with words that it
 * does not know.
 */
async function replyOf(options: LanguageModelV3CallOptions) {
  const prompt = options.prompt.map((message) =>
    message.role === 'user' && briefIn(options.prompt).role === 'oracle'
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === 'text' ? { ...part, text: part.text.replace(/ #\{.*\}$/, '') } : part,
          ),
        }
      : message,
  );
  return (await runbookModel.doStream({ ...options, prompt })).stream;
}

/** A turn that calls nothing. */
function idleTurn(): LanguageModelV3StreamPart[] {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
  return [
    { type: 'text-delta', id: 't', delta: 'All is well.' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } },
    },
  ];
}

async function* answer(
  control: TestControl,
  options: LanguageModelV3CallOptions,
  { hold, slow }: ModelOrders,
  call: { mark: string; who: string; nth: number },
): AsyncGenerator<LanguageModelV3StreamPart> {
  const { abortSignal: signal } = options;
  try {
    if (hold && hold.who === call.who && hold.turn === call.nth) {
      yield { type: 'text-delta', id: 't', delta: 'Let me think. ' };
      await control.pass(hold.gate, signal);
    }
    const stream = await replyOf(options);
    for await (const part of stream as unknown as AsyncIterable<LanguageModelV3StreamPart>) {
      if (slow !== undefined) await sleep(slow, undefined, signal ? { signal } : {});
      yield part;
    }
  } catch (error) {
    await control.record({ event: 'model-aborted', ...call });
    throw error;
  }
}
