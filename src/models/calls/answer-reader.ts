import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { estimateTokens } from '../../domain/provider/estimate-tokens.js';
import { QuotedCalls } from '../../domain/text-calls/quoted-calls.js';
import { TextCallFilter, type FilterPiece } from '../../domain/text-calls/text-call-filter.js';
import type { TextCall } from '../../domain/text-calls/text-call.js';
import { MOST_ARGUMENTS, MOST_CALLS, type AnswerBounds } from './answer-bounds.js';
import { brokeOff, describe } from './classify-error.js';
import type { TurnUsage } from './cost.js';
import { countedIn, type TokenCounts } from './token-counts.js';
import { ModelError } from './model-error.js';
import { nativeCallers } from './native-callers.js';
import { plainText } from './plain-text.js';
import { promptTexts } from './prompt-texts.js';
import type { ModelEntry } from '../models.js';
import { NO_NAME } from '../providers/chat-fetch.js';
import { offeredTools } from '../providers/offered-tools.js';
import type { TurnPart, TurnRequest } from './turn-part.js';

type Voice = 'text' | 'reasoning';

interface Tokens {
  inputTokens: Pick<LanguageModelV3Usage['inputTokens'], 'total' | 'cacheRead' | 'cacheWrite'>;
  outputTokens: Pick<LanguageModelV3Usage['outputTokens'], 'total'>;
}

/** Reads the stream of one answer: yields its parts and counts its tokens. */
export class AnswerReader {
  /** True after a part of the text was yielded. */
  hasText = false;
  private readonly calls: Pick<TextCall, 'tool' | 'input'>[] = [];
  /** Blocks of tool calls that the model wrote as text. */
  private readonly written: Extract<FilterPiece, { type: 'calls' }>[] = [];
  private readonly filters: Record<Voice, TextCallFilter | undefined>;
  private readonly quoted: QuotedCalls;
  private finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined;
  private counted: TokenCounts = {};
  /** UTF-16 code units of the answer so far. */
  private length = 0;
  /** The calls whose arguments stream, by their ids. */
  private readonly typed = new Map<string, Pick<TextCall, 'tool' | 'input'>>();
  private hasTooLongCall = false;

  constructor(
    private readonly entry: ModelEntry,
    private readonly request: TurnRequest,
    private readonly bounds: AnswerBounds,
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
        yield* this.emit(
          kind,
          this.filters[kind]?.push(part.delta) ?? [{ type: 'text', text: part.delta }],
        );
        return;
      }
      case 'tool-call': {
        if (part.providerExecuted) return;
        const counted = this.typed.get(part.toolCallId)?.input.length ?? 0;
        this.typed.delete(part.toolCallId);
        this.length += Math.max(0, part.input.length - counted);
        yield* this.call(part.toolName, part.input);
        return;
      }
      case 'tool-input-start':
        this.typed.set(part.id, { tool: part.toolName, input: '' });
        return;
      case 'tool-input-delta': {
        this.length += part.delta.length;
        const call = this.typed.get(part.id);
        if (!call) return;
        call.input += part.delta;
        this.hasTooLongCall = call.input.length > MOST_ARGUMENTS;
        if (this.hasTooLongCall) yield* this.call(call.tool, call.input);
        return;
      }
      case 'raw':
        this.counted = { ...this.counted, ...countedIn(part.rawValue) };
        return;
      case 'finish':
        this.finish = part;
        return;
      case 'error':
        throw part.error;
      default:
        // Starts and metadata yield no part.
        return;
    }
  }

  /**
   * A call of the provider's protocol. Of arguments that are too long, enough is kept to see that.
   */
  private *call(name: string, written: string): Generator<TurnPart> {
    const tool = name === NO_NAME ? '' : name;
    const input = written.slice(0, MOST_ARGUMENTS + 1);
    yield* this.giveRest('reasoning');
    yield* this.giveRest('text');
    nativeCallers.add(this.entry);
    this.calls.push({ tool, input });
    yield { type: 'tool-call', tool, input };
  }

  /**
   * True if the answer is longer than it may be, or has more calls than are worked on: no more of
   * it is read.
   */
  get isFull(): boolean {
    return (
      this.hasTooLongCall ||
      this.calls.length > MOST_CALLS ||
      estimateTokens(this.length) > this.bounds.tokens
    );
  }

  /** Ends an answer that is full like one that has reached its `max_tokens`. */
  *cut(): Generator<TurnPart> {
    yield* this.giveRest('reasoning');
    yield* this.giveRest('text');
    for (const call of this.writtenCalls()) yield { type: 'tool-call', ...call };
    yield { type: 'finish', reason: 'length', usage: this.taken() };
  }

  /** The calls that the model wrote as text, if it made none in the protocol. */
  private writtenCalls(): Pick<TextCall, 'tool' | 'input'>[] {
    return this.calls.length > 0
      ? []
      : this.written
          .flatMap(({ calls }) => calls.map(({ tool, input }) => ({ tool, input })))
          .slice(0, MOST_CALLS + 1);
  }

  /** Handles the end of the stream. @throws ModelError if the answer is incomplete */
  *end(): Generator<TurnPart> {
    yield* this.giveRest('reasoning');
    yield* this.giveRest('text');
    const reason = this.finish?.finishReason;
    // Some packages report a finish for an answer that was cut. It then has no finish reason from
    // the provider.
    const isCut =
      !reason ||
      reason.unified === 'error' ||
      (reason.unified === 'other' && reason.raw === undefined);
    const calls = this.writtenCalls();
    // If the model made native calls too, its calls in text only describe them.
    if (this.calls.length > 0)
      for (const { calls: described, text } of this.written)
        if (!described.every((call) => this.isMade(call)))
          yield* this.emit('text', [{ type: 'text', text }]);
    const isShort = reason?.unified === 'tool-calls' && this.calls.length + calls.length === 0;
    if (!this.finish || isCut || isShort) {
      const { code, message, retryable } = brokeOff(describe(this.entry));
      throw new ModelError(code, message, { retryable, afterText: this.hasText });
    }
    for (const call of calls) yield { type: 'tool-call', ...call };
    yield {
      type: 'finish',
      reason: calls.length > 0 ? 'tool-calls' : this.finish.finishReason.unified,
      usage: this.usage(this.finish.usage),
    };
  }

  private isMade({ tool, input }: TextCall): boolean {
    return this.calls.some((made) => made.tool === tool && sameInput(made.input, input));
  }

  /** Yields the text that was held back. */
  private giveRest(type: Voice): Generator<TurnPart> {
    return this.emit(type, this.filters[type]?.end() ?? []);
  }

  private *emit(type: Voice, pieces: FilterPiece[]): Generator<TurnPart> {
    for (const piece of pieces) {
      if (piece.type === 'calls' && !piece.calls.some((call) => this.quoted.has(call)))
        this.written.push(piece);
      else if (piece.text !== '') {
        if (type === 'text') this.hasText = true;
        const text = plainText(piece.text);
        if (text !== '') yield { type, text };
      }
    }
  }

  /** True after the provider sent content or a token count. */
  get hasBegun(): boolean {
    return this.length > 0 || this.counted.input !== undefined;
  }

  /**
   * The tokens of the answer so far: the provider's count, or an estimate from the length if that
   * is higher.
   */
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
