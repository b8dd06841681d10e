import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
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
 * Makes one attempt at a turn. Tool calls that the model wrote as text are yielded as calls at the end, if it made no native
 * call. The connection to the provider closes if the caller leaves the iteration or the signal fires.
 * @param broke called before this throws, with the tokens of an answer that had begun
 * @throws ModelError if the answer is incomplete, for any reason; the reason of the signal if the signal fired
 */
export async function* streamTurn(
  entry: ModelEntry,
  request: TurnRequest,
  signal: AbortSignal,
  broke: (taken: TurnUsage) => void = () => undefined,
): AsyncGenerator<TurnPart, void> {
  signal.throwIfAborted();
  const answer = new AnswerReader(entry, request);
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
    // Cancels the reader too, because a model may ignore its signal.
    dog.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), {
      once: true,
    });
    for (;;) {
      const next = await dog.watch(reader.read());
      if (next.done) break;
      yield* answer.take(next.value);
    }
    yield* answer.end();
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

/** The request, with what the provider of the model needs. */
function optionsOf(
  { model, provider: name, modelId = model.modelId, maxOutputTokens: bound }: ModelEntry,
  { prompt, tools, toolChoice, maxOutputTokens, thinking = false }: TurnRequest,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const most = Math.min(maxOutputTokens ?? Infinity, bound ?? Infinity);
  const call: LanguageModelV3CallOptions = {
    prompt,
    abortSignal,
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
