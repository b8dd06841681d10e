import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { estimateTokens } from '../../domain/provider/estimate-tokens.js';
import { QuotedCalls } from '../../domain/text-calls/quoted-calls.js';
import { TextCallFilter, type Piece } from '../../domain/text-calls/text-call-filter.js';
import type { TextCall } from '../../domain/text-calls/text-call.js';
import { brokeOff, describe } from './classify-error.js';
import type { TurnUsage } from './cost.js';
import { countedIn, type Counted } from './counted.js';
import { ModelError } from './model-error.js';
import { promptTexts } from './prompt-texts.js';
import type { ModelEntry } from '../models.js';
import { offeredTools } from '../providers/offered-tools.js';
import type { TurnPart, TurnRequest } from './turn-part.js';

type Voice = 'text' | 'reasoning';

interface Tokens {
  inputTokens: Pick<LanguageModelV3Usage['inputTokens'], 'total' | 'cacheRead' | 'cacheWrite'>;
  outputTokens: Pick<LanguageModelV3Usage['outputTokens'], 'total'>;
}

/** Models that have made a native tool call in this process: what they write as text is text. */
const nativeCallers = new WeakSet<ModelEntry>();

/** Reads the stream of one answer: gives its parts out, and adds up what is known only at the end. */
export class AnswerReader {
  /** Some of the text was given out. */
  hasText = false;
  private readonly calls: Pick<TextCall, 'tool' | 'input'>[] = [];
  /** Calls that were written as text, a block at a time. */
  private readonly written: Extract<Piece, { type: 'calls' }>[] = [];
  private readonly filters: Record<Voice, TextCallFilter | undefined>;
  private readonly quoted: QuotedCalls;
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
    const looks = entry.textToolCalls ?? !nativeCallers.has(entry);
    const filter = () => (looks && offered.size > 0 ? new TextCallFilter(offered) : undefined);
    this.filters = { text: filter(), reasoning: filter() };
    this.quoted = new QuotedCalls(() => promptTexts(request.prompt), offered);
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
        nativeCallers.add(this.entry);
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
    const calls = this.calls.length > 0 ? [] : this.written.flatMap((block) => block.calls);
    // A model that makes native calls too has only described these.
    if (this.calls.length > 0)
      for (const { calls: described, text } of this.written)
        if (!described.every((call) => this.isMade(call)))
          yield* this.give('text', [{ type: 'text', text }]);
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

  private isMade({ tool, input }: TextCall): boolean {
    return this.calls.some((made) => made.tool === tool && sameInput(made.input, input));
  }

  /** What was held back, when something else follows. */
  private giveRest(type: Voice): Generator<TurnPart> {
    return this.give(type, this.filters[type]?.end() ?? []);
  }

  private *give(type: Voice, pieces: Piece[]): Generator<TurnPart> {
    for (const piece of pieces) {
      if (piece.type === 'calls' && !piece.calls.some((call) => this.quoted.has(call)))
        this.written.push(piece);
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
