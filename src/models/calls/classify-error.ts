import { types } from 'node:util';
import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
} from '@ai-sdk/provider';
import { readTooLong, type TooLong } from '../../domain/context/prompt-too-long.js';
import { parseRetryAfter } from '../../domain/provider/retry-after.js';
import type { ProviderFailureCode } from '../../domain/provider/retry-policy.js';
import { utcTime } from '../../lib/utc-time.js';
import { ModelError } from './model-error.js';
import { meaning, parsed, readProviderError, type ProviderError } from './provider-error.js';
import { errorMessage } from './error-message.js';
import { NotAStreamError } from '../providers/counting-fetch.js';

/** The names of a model and of its settings, for error messages. */
export interface ModelSettingNames {
  name: string;
  /** The id of the model at the provider. */
  modelId: string;
  /**
   * Where to change each setting: a variable such as `OPENAI_API_KEY`, or a place in the models
   * file.
   */
  settings: { key: string; address: string; id: string };
}

/** Returns the description of a model for error messages. */
export const describe = ({
  name,
  modelId,
  settings,
}: {
  name: string;
  modelId?: string;
  settings?: ModelSettingNames['settings'];
}): ModelSettingNames => ({
  name,
  modelId: modelId ?? name,
  settings: settings ?? { key: 'its key', address: 'its address', id: 'its id' },
});

interface FailureClass {
  code: ProviderFailureCode;
  retryable: boolean;
  message: string;
  /** Present if the prompt does not fit the context window. */
  tooLong?: TooLong;
}

/**
 * Matches the messages of OpenAI, Anthropic, Google, Mistral, xAI, Groq and self-hosted servers.
 */
const TOO_LONG =
  /context.{0,20}(?:length|window|limit|size)|maximum (?:context|prompt|input)|too (?:long|many tokens)|prompt is too|reduce the length|maximum number of (?:input )?tokens/i;
/** ms: the end of a pause as long as this is named. */
export const LONG_PAUSE_MS = 60_000;
const NO_CREDIT = /insufficient_quota|billing|credit balance|payment/i;
const NETWORK =
  /^(?:E[A-Z]{3,}|HPE_\w+|UND_ERR_\w+|CERT_\w+|DEPTH_\w+|SELF_\w+|UNABLE_\w+|ERR_\w+)$/;

/**
 * Converts any error that a provider package throws or streams into a `ModelError`.
 * @param now ms since 1970: the base for a `Retry-After` date if the response has no `Date` header
 */
export function classifyError(
  error: unknown,
  model: ModelSettingNames,
  afterText: boolean,
  now: number,
): ModelError {
  if (error instanceof ModelError) return error;
  const { code, message, retryable, tooLong } = failureClass(error, model, afterText);
  const retryAfterMs =
    retryable && APICallError.isInstance(error) && error.responseHeaders
      ? parseRetryAfter(error.responseHeaders, now)
      : undefined;
  const until =
    retryAfterMs !== undefined && retryAfterMs >= LONG_PAUSE_MS
      ? ` It asked for a pause until ${utcTime(now + retryAfterMs)} (Retry-After).`
      : '';
  return new ModelError(code, `${message}${until}`, {
    retryable,
    retryAfterMs,
    afterText,
    tooLong,
  });
}

function failureClass(error: unknown, model: ModelSettingNames, afterText: boolean): FailureClass {
  const { name, settings } = model;
  if (error instanceof NotAStreamError)
    return failure(
      `The address of "${name}" answers with ${error.contentType}, not with a stream: check ${settings.address}.`,
      false,
    );
  if (
    APICallError.isInstance(error) &&
    error.statusCode !== undefined &&
    (error.statusCode >= 300 || error.responseBody !== undefined)
  )
    return ofStatus(
      error.statusCode,
      readProviderError(error.data ?? parsed(error.responseBody)) ??
        readProviderError({ message: error.message }),
      model,
    );
  const network = networkCode(error);
  if (network !== undefined) return ofNetwork(network, model, afterText);
  if (LoadAPIKeyError.isInstance(error))
    return failure(`The model "${name}" has no key: set ${settings.key}.`, false);
  if (InvalidResponseDataError.isInstance(error) && /without a finish/i.test(error.message))
    return brokeOff(model);
  // Some servers send errors in their own format.
  const said = readProviderError(TypeValidationError.isInstance(error) ? error.value : error);
  if (said && !(isError(error) && !TypeValidationError.isInstance(error)))
    return ofWords(said, model);
  if (
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error) ||
    InvalidResponseDataError.isInstance(error)
  )
    return failure(`The provider of "${name}" sent something that is not its protocol.`, true);
  return failure(
    `The model "${name}" failed for a reason that is not known (${isError(error) ? error.name : typeof error}).`,
    false,
  );
}

/** Recognises errors of another realm too, such as Node's own errors in tests. */
const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value);

const failure = (message: string, retryable: boolean): FailureClass => ({
  code: 'AI_ERROR',
  message,
  retryable,
});

export const brokeOff = ({ name }: ModelSettingNames): FailureClass =>
  failure(`The answer of "${name}" broke off.`, true);

function ofStatus(
  status: number,
  said: ProviderError | undefined,
  model: ModelSettingNames,
): FailureClass {
  const { name, modelId, settings } = model;
  const words = errorMessage(said?.message ?? '');
  // For an error within a stream, the status is a guess of the package: the error type is more
  // reliable.
  if (said && status === 500 && meaning(said) !== undefined) return ofWords(said, model);
  if (
    status === 402 ||
    ((status === 429 || status === 403 || status === 400) &&
      NO_CREDIT.test(`${said?.type} ${said?.message}`))
  )
    return {
      code: status === 429 ? 'RATE_LIMITED' : 'AI_ERROR',
      message: `The account of "${name}" has no credit left (${status}): check the plan that ${settings.key} belongs to.`,
      retryable: false,
    };
  switch (status) {
    case 429:
      return {
        code: 'RATE_LIMITED',
        message: `The provider of "${name}" limits the rate of calls (429).`,
        retryable: true,
      };
    case 503:
    case 529:
      return {
        code: 'OVERLOADED',
        message: `The provider of "${name}" is overloaded (${status}).`,
        retryable: true,
      };
    case 401:
      return failure(
        `The provider of "${name}" refused the key (401): check ${settings.key}.`,
        false,
      );
    case 403:
      return failure(`The key of "${name}" may not use it (403): check ${settings.key}.`, false);
    case 404:
      return failure(
        `The provider of "${name}" knows no model "${modelId}" (404): check ${settings.id} and ${settings.address}.`,
        false,
      );
    case 400:
    case 413:
    case 422:
      return TOO_LONG.test(`${said?.type} ${said?.message}`) || status === 413
        ? {
            ...failure(`The conversation is too long for "${name}" (${status}).`, false),
            tooLong: readTooLong(said?.message ?? ''),
          }
        : failure(
            `The provider of "${name}" refused the request (${status})${words === '' ? '' : `: ${words}`}`,
            false,
          );
    default:
      if (status >= 300 && status < 400)
        return failure(
          `The address of "${name}" redirects (${status}): check ${settings.address}.`,
          false,
        );
      return failure(
        `The provider of "${name}" failed (${status}).`,
        status >= 500 || status === 408 || status === 409 || status === 425,
      );
  }
}

/** Classifies an error that arrived within a stream. */
function ofWords(said: ProviderError, model: ModelSettingNames): FailureClass {
  const status = meaning(said);
  const known = status !== undefined && (status < 500 || status === 503 || status === 529);
  return known
    ? ofStatus(status, said, model)
    : failure(`The provider of "${model.name}" broke its answer off with an error.`, true);
}

function ofNetwork(
  code: string,
  { name, settings }: ModelSettingNames,
  afterText: boolean,
): FailureClass {
  if (
    /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/.test(
      code,
    )
  )
    return failure(
      `The provider of "${name}" cannot be reached (${code}): check ${settings.address}.`,
      true,
    );
  if (/CERT|SIGNED|DEPTH|UNABLE|ERR_TLS|ERR_SSL/.test(code))
    return failure(
      `The provider of "${name}" cannot be reached safely (${code}): check ${settings.address}.`,
      false,
    );
  if (code.startsWith('HPE_'))
    return failure(
      `The provider of "${name}" sent something that is not HTTP (${code}): check ${settings.address}.`,
      true,
    );
  const when = afterText ? 'in the middle of its answer' : 'before it answered';
  return failure(`The connection to the provider of "${name}" was lost ${when} (${code}).`, true);
}

/** Returns the code of the network error that caused this error, if there is one. */
function networkCode(error: unknown): string | undefined {
  for (let depth = 0, at = error; isError(at) && depth < 8; depth++, at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && NETWORK.test(code) && !code.startsWith('ERR_INVALID'))
      return code;
    if ('errors' in at && Array.isArray(at.errors)) return networkCode(at.errors[0]);
    if (at.message === 'terminated') return networkCode(at.cause) ?? 'ECONNRESET';
  }
  return undefined;
}
