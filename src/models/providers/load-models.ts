import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { rememberSecret } from '../../config/known-secrets.js';
import type { Config } from '../../config/config.js';
import { ConsiliumError, type Fault } from '../../domain/errors.js';
import { baseUrlFault } from './base-url.js';
import type { ModelSettingNames } from '../calls/classify-error.js';
import { knownContextWindow } from './known-models.js';
import { makeModel } from './make-model.js';
import type { ModelEntry } from '../models.js';
import type { ModelSettings } from './model-settings.js';
import { parseModelsFile } from './parse-models-file.js';
import { isOwnAddress } from './provider.js';
import { providerNamed, PROVIDERS } from './registry.js';

type ModelsConfig = Pick<Config, 'role' | 'model' | 'modelsFile' | 'secretOf'>;

const MAX_BYTES = 1_048_576;
const RUNBOOK = 'runbook';
/**
 * Characters that a header may contain. Checked here because `fetch` would repeat an invalid key in
 * its error message.
 */
const SENDABLE = /^[\x21-\x7e]{1,2000}$/;

/** Providers with a service of their own: `MODEL` may name their models. */
const HOSTED = PROVIDERS.filter(({ own }) => own !== undefined).map(({ name }) => name);

/**
 * Loads the language models of the configuration and the name of the default model.
 * @param known names of models that exist without configuration
 * @throws ConsiliumError VALIDATION_FAILED with every fault: the variable, or the file and line. No
 *   message repeats a key
 */
export function loadModels(
  config: ModelsConfig,
  known: readonly string[] = [],
): { entries: ModelEntry[]; default: string } {
  const faults: Fault[] = [];
  const file = config.modelsFile === undefined ? [] : readFile(config.modelsFile, faults);
  const entries = file.map((settings) => entryOf(settings, config, faults, inFile(settings.name)));
  const isKnown =
    [RUNBOOK, ...known].includes(config.model) || entries.some(({ name }) => name === config.model);
  // A file that could not be read may define the model.
  if (!isKnown && faults.length === 0) {
    const settings = fromVariables(config, faults);
    if (settings) entries.push(entryOf(settings, config, faults, { ...inFile(''), id: 'MODEL' }));
  }
  if (faults.length > 0) {
    const lines = faults.map(({ path, message }) => `  ${path} ${message}`);
    throw new ConsiliumError(
      'VALIDATION_FAILED',
      ['The language models are configured wrong:', ...lines].join('\n'),
      { faults },
    );
  }
  return { entries, default: config.model };
}

const inFile = (name: string): ModelSettingNames['settings'] => ({
  key: `apiKeyEnv of ${name} in MODELS_FILE`,
  address: `baseUrl of ${name} in MODELS_FILE`,
  id: `model of ${name} in MODELS_FILE`,
});

function readFile(path: string, faults: Fault[]): ModelSettings[] {
  let text: string;
  try {
    text = readBounded(path);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    faults.push({ path: 'MODELS_FILE', message: `is "${path}", which cannot be read: ${why}` });
    return [];
  }
  const parsed = parseModelsFile(text, basename(path));
  if ('models' in parsed) return parsed.models;
  faults.push(...parsed.faults);
  return [];
}

function readBounded(path: string): string {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Reads `MODEL=provider/model-id`. */
function fromVariables(config: ModelsConfig, faults: Fault[]): ModelSettings | undefined {
  const [, provider = '', model = ''] = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(config.model) ?? [];
  if (HOSTED.includes(provider)) return { name: config.model, provider, model, fallback: [] };
  const more =
    config.modelsFile === undefined
      ? '; whatever else there is has a name in MODELS_FILE, which is not set'
      : ', nor a name in MODELS_FILE';
  faults.push({
    path: 'MODEL',
    message: `is ${JSON.stringify(config.model)}, which is neither runbook nor ${HOSTED.map((name) => `${name}/MODEL-ID`).join(' or ')}${more}`,
  });
  return undefined;
}

/**
 * Builds the entry of a model. Takes the address and the key of its provider from variables if the
 * settings have none.
 */
function entryOf(
  settings: ModelSettings,
  config: ModelsConfig,
  faults: Fault[],
  words: ModelSettingNames['settings'],
): ModelEntry {
  const { name, provider, model } = settings;
  const { own, title = '' } = providerNamed(provider) ?? {};
  const baseUrl = settings.baseUrl ?? (own && config.secretOf(own.addressVariable));
  const fault = baseUrl === undefined ? undefined : baseUrlFault(baseUrl);
  if (own && fault !== undefined && !faults.some(({ path }) => path === own.addressVariable))
    faults.push({ path: own.addressVariable, message: fault });
  const usable = fault === undefined ? baseUrl : undefined;
  const isProvidersOwn =
    fault === undefined &&
    (baseUrl === undefined || PROVIDERS.some((each) => isOwnAddress(each, baseUrl)));
  // The provider's own key is never sent to an address that the file names.
  const apiKeyEnv =
    settings.apiKeyEnv ?? (settings.baseUrl === undefined ? own?.keyVariable : undefined);
  const key =
    apiKeyEnv === undefined
      ? undefined
      : keyIn(
          apiKeyEnv,
          { name, needed: settings.apiKeyEnv !== undefined || isProvidersOwn },
          config,
          faults,
        );

  const { contextWindow, maxOutputTokens, prices, concurrency, requestsPerMinute, fallback } =
    settings;
  const { startTimeoutSeconds, silenceTimeoutSeconds, textToolCalls } = settings;
  return {
    name,
    description: `${model}, ${title}`,
    provider,
    contextWindow: contextWindow ?? knownContextWindow(model),
    model: makeModel({ ...settings, baseUrl: usable }, key),
    modelId: model,
    settings: {
      ...words,
      key: apiKeyEnv ?? words.key,
      ...(settings.baseUrl === undefined && own && { address: own.addressVariable }),
    },
    fallback,
    limits: {
      ...(concurrency !== undefined && { concurrency }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    },
    ...((textToolCalls !== undefined || isProvidersOwn) && {
      textToolCalls: textToolCalls ?? false,
    }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(prices && { prices }),
    timeouts: {
      ...(startTimeoutSeconds !== undefined && { startMs: startTimeoutSeconds * 1_000 }),
      ...(silenceTimeoutSeconds !== undefined && { silenceMs: silenceTimeoutSeconds * 1_000 }),
    },
  };
}

/**
 * Reads the key of a model. A process that only serves HTTP calls no model and needs no key.
 * @param model `needed` is false for a self-hosted server, which may need no key
 */
function keyIn(
  variable: string,
  model: { name: string; needed: boolean },
  config: ModelsConfig,
  faults: Fault[],
): string | undefined {
  const key = config.secretOf(variable)?.trim();
  if (key !== undefined) rememberSecret(key);
  if (config.role === 'api' || (!key && !model.needed)) return undefined;
  if (!key)
    faults.push({ path: variable, message: `is not set; the model ${model.name} needs it` });
  else if (!SENDABLE.test(key))
    faults.push({ path: variable, message: 'holds characters that no key has' });
  return key;
}
