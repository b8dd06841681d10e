import type {
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { estimateTokens } from '../../domain/provider/estimate-tokens.js';
import { TextCallFilter, type Piece } from '../../domain/text-calls/text-call-filter.js';
import type { TextCall } from '../../domain/text-calls/text-call.js';
import { brokeOff, classifyError, type Described } from './classify-error.js';
import type { TurnUsage } from './cost.js';
import { countedIn, type Counted } from './counted.js';
import { ModelError } from './model-error.js';
import type { ModelEntry } from '../models.js';
import { offeredTools } from '../providers/offered-tools.js';
import { thinkingOptions } from '../providers/thinking.js';
import { Watchdog } from './watchdog.js';
import { watchBytes } from '../providers/counting-fetch.js';

/** What a model says, a piece at a time. `finish` is the last one, and comes only when the answer is whole. */
export type TurnPart =
  | { type: 'text' | 'reasoning'; text: string }
  | {
      type: 'tool-call';
      tool: string;
      /** JSON as the model wrote it, or what was meant to be. */ input: string;
    }
  | { type: 'finish'; reason: string; usage: TurnUsage };

export type TurnRequest = Pick<LanguageModelV3CallOptions, 'prompt'> & {
  tools: Extract<NonNullable<LanguageModelV3CallOptions['tools']>[number], { type: 'function' }>[];
  maxOutputTokens?: number;
  /** Somebody wants to see the reasoning. */
  thinking?: boolean;
};

const START_MS = 120_000;
const SILENCE_MS = 60_000;

const describe = ({ name, modelId, settings }: ModelEntry): Described => ({
  name,
  modelId: modelId ?? name,
  settings: settings ?? { key: 'its key', address: 'its address', id: 'its id' },
});

/**
 * One attempt at a turn. Tool calls that the model wrote as text come as calls, behind its other ones. Whoever leaves the
 * iteration, or fires the signal, closes the connection to the provider.
 * @param broke told what an answer took that is not whole, if it had begun, before this throws
 * @throws ModelError when the answer is not whole, for whichever reason; the signal's reason when that fired
 */
export async function* streamTurn(
  entry: ModelEntry,
  request: TurnRequest,
  signal: AbortSignal,
  broke: (taken: TurnUsage) => void = () => undefined,
): AsyncGenerator<TurnPart, void> {
  signal.throwIfAborted();
  const said = new Said(entry, request);
  const dog = new Watchdog(
    entry.timeouts?.startMs ?? START_MS,
    entry.timeouts?.silenceMs ?? SILENCE_MS,
    signal,
  );
  try {
    watchBytes(dog.signal, dog.onBytes);
    const { stream } = await dog.guard(() =>
      entry.model.doStream(optionsOf(entry, request, dog.signal)),
    );
    const reader = stream.getReader();
    // A model that does not listen to its signal is left all the same: a cancelled reader has nothing more to read.
    dog.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), {
      once: true,
    });
    for (;;) {
      const next = await dog.watch(reader.read());
      if (next.done) break;
      yield* said.take(next.value);
    }
    yield* said.end();
  } catch (error) {
    if (said.hasBegun) broke(said.taken());
    signal.throwIfAborted();
    throw (
      dog.bite(describe(entry), said.hasText) ??
      classifyError(error, describe(entry), said.hasText, Date.now())
    );
  } finally {
    dog.stop();
  }
}

function optionsOf(
  entry: ModelEntry,
  { prompt, tools, maxOutputTokens, thinking }: TurnRequest,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const most = Math.min(maxOutputTokens ?? Infinity, entry.maxOutputTokens ?? Infinity);
  // OpenAI takes a schema for a strict one unless told otherwise, and then wants every argument.
  const strict = entry.model.provider.endsWith('.responses');
  const providerOptions = thinking === true ? thinkingOptions(entry, prompt) : undefined;
  return {
    prompt,
    abortSignal,
    ...(providerOptions && { providerOptions }),
    // What they count on the way, for answers that break off.
    includeRawChunks: true,
    ...(tools.length > 0 && {
      tools: strict ? tools.map((tool) => ({ ...tool, strict: false })) : tools,
    }),
    ...(most !== Infinity && { maxOutputTokens: most }),
  };
}

interface Tokens {
  inputTokens: Pick<LanguageModelV3Usage['inputTokens'], 'total' | 'cacheRead' | 'cacheWrite'>;
  outputTokens: Pick<LanguageModelV3Usage['outputTokens'], 'total'>;
}

/** What has come of an answer so far. */
class Said {
  /** Some of the text was given out. */
  hasText = false;
  private readonly calls: TextCall[] = [];
  private readonly written: TextCall[] = [];
  private readonly filters: Record<'text' | 'reasoning', TextCallFilter | undefined>;
  private finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined;
  private counted: Counted = {};
  /** UTF-16 code units of all that was said, and the calls whose arguments were counted as they came. */
  private length = 0;
  private readonly typed = new Set<string>();

  constructor(
    private readonly entry: ModelEntry,
    private readonly request: TurnRequest,
  ) {
    const offered = offeredTools(request.tools);
    const looks = entry.textToolCalls !== false && offered.size > 0;
    const filter = () => (looks ? new TextCallFilter(offered) : undefined);
    this.filters = { text: filter(), reasoning: filter() };
  }

  *take(part: LanguageModelV3StreamPart): Generator<TurnPart> {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const [kind, other] =
          part.type === 'text-delta'
            ? (['text', 'reasoning'] as const)
            : (['reasoning', 'text'] as const);
        this.length += part.delta.length;
        yield* this.giveRest(other);
        yield* this.give(
          kind,
          this.filters[kind]?.push(part.delta) ?? [{ type: 'text', text: part.delta }],
        );
        return;
      }
      case 'tool-call':
        if (part.providerExecuted) return;
        yield* this.giveRest('reasoning');
        yield* this.giveRest('text');
        this.calls.push({ tool: part.toolName, input: part.input });
        if (!this.typed.has(part.toolCallId)) this.length += part.input.length;
        yield { type: 'tool-call', tool: part.toolName, input: part.input };
        return;
      case 'tool-input-delta':
        this.typed.add(part.id);
        this.length += part.delta.length;
        return;
      case 'raw':
        this.counted = { ...this.counted, ...countedIn(part.rawValue) };
        return;
      case 'finish':
        this.finish = part;
        return;
      case 'error':
        throw part.error;
      default:
        // Starts, metadata: nothing to tell.
        return;
    }
  }

  /** The stream is over. @throws ModelError when the answer is not */
  *end(): Generator<TurnPart> {
    yield* this.giveRest('reasoning');
    yield* this.giveRest('text');
    const reason = this.finish?.finishReason;
    // An answer that was cut still gets a finish from some packages, without the provider's word for it.
    const isCut =
      !reason ||
      reason.unified === 'error' ||
      (reason.unified === 'other' && reason.raw === undefined);
    const calls = this.written.filter(
      (call) =>
        !this.calls.some((other) => other.tool === call.tool && sameInput(other.input, call.input)),
    );
    const isShort = reason?.unified === 'tool-calls' && this.calls.length + calls.length === 0;
    if (!this.finish || isCut || isShort) {
      const { code, message, retryable } = brokeOff(describe(this.entry));
      throw new ModelError(code, message, { retryable, afterText: this.hasText });
    }
    for (const { tool, input } of calls) yield { type: 'tool-call', tool, input };
    yield {
      type: 'finish',
      reason: calls.length > 0 ? 'tool-calls' : this.finish.finishReason.unified,
      usage: this.usage(this.finish.usage),
    };
  }

  /** What was held back, when something else follows. */
  private giveRest(type: 'text' | 'reasoning'): Generator<TurnPart> {
    return this.give(type, this.filters[type]?.end() ?? []);
  }

  private *give(type: 'text' | 'reasoning', pieces: Piece[]): Generator<TurnPart> {
    for (const piece of pieces) {
      if (piece.type === 'call') this.written.push(piece.call);
      else if (piece.text !== '') {
        if (type === 'text') this.hasText = true;
        yield { type, text: piece.text };
      }
    }
  }

  /** The provider has begun to answer: it has said something, or counted its tokens. */
  get hasBegun(): boolean {
    return this.length > 0 || this.counted.input !== undefined;
  }

  /** What an answer took so far: as the provider counted it, or by its length where that is more. */
  taken(): TurnUsage {
    const { input, output = 0, cacheRead, cacheWrite } = this.counted;
    const said = estimateTokens(this.length);
    const usage = this.usage({
      inputTokens: { total: input, cacheRead, cacheWrite },
      outputTokens: { total: Math.max(output, said) },
    });
    return { ...usage, estimated: usage.estimated || said > output };
  }

  private usage({ inputTokens, outputTokens }: Tokens): TurnUsage {
    const { total: input, cacheRead = 0, cacheWrite = 0 } = inputTokens;
    const output = outputTokens.total;
    const { prompt, tools } = this.request;
    return {
      input: input ?? estimateTokens(JSON.stringify([prompt, tools]).length),
      output: output ?? estimateTokens(this.length),
      cacheRead,
      cacheWrite,
      estimated: input === undefined || output === undefined,
    };
  }
}

function sameInput(a: string, b: string): boolean {
  try {
    return JSON.stringify(sorted(JSON.parse(a))) === JSON.stringify(sorted(JSON.parse(b)));
  } catch {
    return a === b;
  }
}

const sorted = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
