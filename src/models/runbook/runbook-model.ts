import {
  UnsupportedFunctionalityError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
  type LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider';
import { readInstructions } from '../../domain/prompt/brief.js';
import { readData, REFUSED_ORIGIN } from '../../domain/prompt/data-block.js';
import { readCallLimit, readStart, readTask } from '../../domain/prompt/task-message.js';
import type { Json } from '../../lib/json.js';
import type { TurnPart, TurnRequest } from '../calls/turn-part.js';
import { planGlobalSupervisor } from './plan-global-supervisor.js';
import { planOracle } from './oracle/plan-oracle.js';
import type { Remark } from './oracle/reading/question.js';
import { planTeamSupervisor } from './plan-team-supervisor.js';
import { planWorker } from './plan-worker.js';
import { markdownOf, type ToolAnswer, type Plan } from './plan.js';

const NO_TOKENS = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };

/** Returns the tool calls so far with their results, in the order of the calls. */
function answersIn(prompt: LanguageModelV3CallOptions['prompt']): ToolAnswer[] {
  const argsOf = new Map<string, unknown>();
  const answers: ToolAnswer[] = [];
  for (const message of prompt) {
    if (message.role === 'assistant')
      for (const part of message.content)
        if (part.type === 'tool-call') argsOf.set(part.toolCallId, part.input);
    if (message.role === 'tool')
      for (const part of message.content)
        if (part.type === 'tool-result')
          answers.push({
            id: part.toolCallId,
            tool: part.toolName,
            args: (argsOf.get(part.toolCallId) ?? {}) as ToolAnswer['args'],
            output: outputOf(part.output),
            failed: part.output.type !== 'json' && part.output.type !== 'text',
          });
  }
  return answers;
}

/**
 * Returns the output of a call, from its data block. A failed call has a text; a refused one is an
 * error with its code.
 */
function outputOf(output: LanguageModelV3ToolResultOutput): Json {
  if (output.type === 'json') return output.value as Json;
  if (output.type !== 'text' && output.type !== 'error-text') return null;
  const block = readData(output.value);
  const text = block?.text ?? output.value;
  if (output.type === 'error-text')
    return block?.origin.endsWith(REFUSED_ORIGIN) ? { error: text, code: 'REFUSED' } : text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * Returns the texts of a conversation before the agent's task, the task, and its limit of calls.
 */
function readTexts(prompt: LanguageModelV3CallOptions['prompt']): {
  before: Remark[];
  task: string;
  /** Calls that may be made in a turn. */
  most: number;
  /** When the agent began, in ms since 1970. */
  now: number;
} {
  const said = prompt.flatMap((message): Remark[] => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    const text = message.content
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('');
    return text === '' ? [] : [{ by: message.role === 'user' ? 'person' : 'oracle', text }];
  });
  const at = said.findLastIndex(({ by, text }) => by === 'person' && readTask(text) !== undefined);
  return {
    before: said.slice(0, Math.max(0, at)),
    task: readTask(said[at]?.text ?? '')?.task ?? '',
    most: readCallLimit(said[at]?.text ?? '') ?? Infinity,
    now: readStart(said[at]?.text ?? '') ?? 0,
  };
}

function think({ prompt, tools }: Pick<LanguageModelV3CallOptions, 'prompt' | 'tools'>): Plan {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const { brief } = readInstructions(system.join('\n\n'));
  const answers = answersIn(prompt);
  const available = new Set((tools ?? []).map((tool) => tool.name));
  const { before, task: userMessage, most, now } = readTexts(prompt);
  switch (brief.role) {
    case 'worker':
      return planWorker(brief, answers, available);
    case 'team_supervisor':
      return planTeamSupervisor(brief, answers, most);
    case 'global_supervisor':
      return planGlobalSupervisor({ ...brief, userMessage }, answers, most);
    case 'oracle':
      return planOracle({ ...brief, userMessage, now }, before, answers, available);
  }
}

function* parts(plan: Plan): Generator<LanguageModelV3StreamPart> {
  const { reasoning, text } = markdownOf(plan);
  yield { type: 'stream-start', warnings: [] };
  if (reasoning) {
    yield { type: 'reasoning-start', id: 'r' };
    yield { type: 'reasoning-delta', id: 'r', delta: reasoning };
    yield { type: 'reasoning-end', id: 'r' };
  }
  if (text) {
    yield { type: 'text-start', id: 't' };
    for (const delta of text.split(/(?<=[.:;]\s)/)) yield { type: 'text-delta', id: 't', delta };
    yield { type: 'text-end', id: 't' };
  }
  for (const [i, call] of plan.calls.entries())
    yield {
      type: 'tool-call',
      toolCallId: `call_${i + 1}`,
      toolName: call.tool,
      input: JSON.stringify(call.args),
    };
  const unified = plan.calls.length > 0 ? 'tool-calls' : 'stop';
  yield { type: 'finish', usage: NO_TOKENS, finishReason: { unified, raw: unified } };
}

/**
 * The answer of {@link runbookModel} as a whole, for callers in this process: no stream, nothing to
 * wait for.
 */
export function answerAtOnce(request: Pick<TurnRequest, 'prompt' | 'tools'>): TurnPart[] {
  const plan = think(request);
  const { reasoning, text } = markdownOf(plan);
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...plan.calls.map(({ tool, args }) => ({
      type: 'tool-call' as const,
      tool,
      input: JSON.stringify(args),
    })),
    { type: 'finish', reason: plan.calls.length > 0 ? 'tool-calls' : 'stop', usage: NO_USAGE },
  ];
}

/**
 * The built-in model `runbook`: a deterministic planner behind the interface of a language model.
 * It needs no key and no network. The same prompt always gives the same answer; it knows only what
 * the prompt contains.
 */
export const runbookModel: LanguageModelV3 = {
  specificationVersion: 'v3',
  provider: 'consilium',
  modelId: 'runbook',
  supportedUrls: {},

  async doStream(options) {
    const { abortSignal } = options;
    abortSignal?.throwIfAborted();
    const plan = think(options);
    return {
      stream: new ReadableStream<LanguageModelV3StreamPart>({
        start(controller) {
          for (const part of parts(plan)) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  },

  doGenerate: () =>
    Promise.reject(new UnsupportedFunctionalityError({ functionality: 'doGenerate' })),
};
