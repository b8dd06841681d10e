import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { setImmediate } from 'node:timers/promises';
import { boundsOf } from './answer-bounds.js';
import { AnswerReader } from './answer-reader.js';
import { classifyError, describe } from './classify-error.js';
import type { TurnUsage } from './cost.js';
import type { ModelEntry } from '../models.js';
import { plainPrompt } from '../providers/plain-prompt.js';
import { providerOf } from '../providers/registry.js';
import type { TurnPart, TurnRequest } from './turn-part.js';
import { Watchdog } from './watchdog.js';
import { watchBytes } from '../providers/counting-fetch.js';

const START_MS = 120_000;
const SILENCE_MS = 60_000;
/**
 * After so many parts other work of the process has its turn: one chunk of bytes may contain
 * thousands.
 */
const PARTS = 100;
/** A longer piece of text is taken as several, of so many characters at most. */
const PIECE = /[^]{1,8192}/gu;

/**
 * Makes one attempt at a turn. Tool calls that the model wrote as text are yielded as calls at the
 * end, if it made no native call. The connection to the provider closes if the caller leaves the
 * iteration or the signal fires.
 * @param broke called before this throws, with the tokens of an answer that had begun
 * @throws ModelError if the answer is incomplete, for any reason; the reason of the signal if the
 *   signal fired
 */
export async function* streamTurn(
  entry: ModelEntry,
  request: TurnRequest,
  signal: AbortSignal,
  broke: (taken: TurnUsage) => void = () => undefined,
): AsyncGenerator<TurnPart, void> {
  signal.throwIfAborted();
  const options = optionsOf(entry, request);
  const bounds = boundsOf(options.maxOutputTokens);
  const answer = new AnswerReader(entry, request, bounds);
  const dog = new Watchdog(
    entry.timeouts?.startMs ?? START_MS,
    entry.timeouts?.silenceMs ?? SILENCE_MS,
    signal,
    bounds,
  );
  try {
    watchBytes(dog.signal, dog.onBytes);
    const { stream } = await dog.guard(() =>
      entry.model.doStream({ ...options, abortSignal: dog.signal }),
    );
    const reader = stream.getReader();
    // Cancels the reader too, because a model may ignore its signal.
    dog.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), {
      once: true,
    });
    for (let parts = 1; !answer.isFull; parts++) {
      const next = await dog.watch(reader.read());
      if (next.done) break;
      for (const part of piecesOf(next.value)) {
        yield* answer.take(part);
        if (answer.isFull) break;
        if (part !== next.value || parts % PARTS === 0) await setImmediate();
      }
    }
    yield* answer.isFull ? answer.cut() : answer.end();
  } catch (error) {
    if (answer.hasBegun) broke(answer.taken());
    signal.throwIfAborted();
    throw (
      dog.bite(describe(entry), answer.hasText) ??
      classifyError(error, describe(entry), answer.hasText, Date.now())
    );
  } finally {
    dog.stop();
  }
}

function piecesOf(part: LanguageModelV3StreamPart): LanguageModelV3StreamPart[] {
  if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return [part];
  const pieces = part.delta.match(PIECE) ?? [];
  return pieces.length < 2 ? [part] : pieces.map((delta) => ({ ...part, delta }));
}

/** The request, with what the provider of the model needs. */
function optionsOf(
  { model, provider: name, modelId = model.modelId, maxOutputTokens: bound }: ModelEntry,
  { prompt, tools, toolChoice, maxOutputTokens, thinking = false }: TurnRequest,
): LanguageModelV3CallOptions {
  const most = Math.min(maxOutputTokens ?? Infinity, bound ?? Infinity);
  const call: LanguageModelV3CallOptions = {
    prompt,
    // Raw chunks carry token counts, which are needed if the answer breaks off.
    includeRawChunks: true,
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && {
      toolChoice: { type: 'tool' as const, toolName: toolChoice },
    }),
    ...(most !== Infinity && { maxOutputTokens: most }),
  };
  const provider = providerOf(model, name);
  const adapted = provider?.adapt?.(call, { modelId, protocol: model.provider, thinking }) ?? call;
  return provider?.takesSystemParts === true
    ? adapted
    : { ...adapted, prompt: plainPrompt(adapted.prompt) };
}
