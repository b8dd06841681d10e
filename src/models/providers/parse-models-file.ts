import { z } from 'zod';
import { readYaml } from '../../config/yaml-text.js';
import type { Fault } from '../../domain/errors.js';
import { FaultList } from '../../domain/fault-list.js';
import { readPart } from '../../domain/read-part.js';
import { baseUrlFault } from './base-url.js';
import type { ModelSettings } from './model-settings.js';
import { providerNamed, PROVIDERS } from './registry.js';

const NAME = /^[\w.:/@+-]{1,100}$/;
/** The name of the built-in model; a file must not use it. */
const RUNBOOK = 'runbook';

const NAMES = PROVIDERS.map(({ name }) => name);

// No message repeats a value: it may be a key in the wrong place.
const name = z
  .string('must be a text')
  .regex(NAME, 'must be 1 to 100 of A-Z a-z 0-9 _ . : / @ + -');
const price = z
  .number('must be a number')
  .min(0, 'must not be negative')
  .max(1_000_000, 'must be at most 1000000');
const whole = (min: number, max: number) => {
  const words = `must be an integer from ${min} to ${max}`;
  return z.int(words).min(min, words).max(max, words);
};
const prices = z.strictObject(
  { input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() },
  'must be an object with input and output',
);
const model = z.strictObject(
  {
    name: name.refine((value) => value !== RUNBOOK, 'is the name of the built-in model'),
    provider: z.enum(NAMES, `must be one of ${NAMES.join(', ')}`),
    model: z
      .string("must be the model's id, as the provider calls it")
      .regex(/^\S{1,200}$/, 'must be 1 to 200 characters without spaces'),
    baseUrl: z
      .string('must be a text')
      .superRefine((url, context) => {
        const fault = baseUrlFault(url);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
      })
      .optional(),
    api: z.enum(['chat', 'responses'], 'must be chat or responses').optional(),
    apiKeyEnv: z
      .string('must be the name of a variable')
      .regex(
        /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
        'must be the name of the variable that holds the key, and not the key',
      )
      .optional(),
    contextWindow: whole(512, 100_000_000).optional(),
    maxOutputTokens: whole(1, 10_000_000).optional(),
    prices: prices.optional(),
    concurrency: whole(1, 10_000).optional(),
    requestsPerMinute: whole(1, 1_000_000).optional(),
    fallback: z
      .array(name, 'must be a list of names')
      .max(10, 'must be at most 10 names')
      .default([]),
    startTimeoutSeconds: whole(1, 3_600).optional(),
    silenceTimeoutSeconds: whole(1, 3_600).optional(),
    textToolCalls: z.boolean('must be true or false').optional(),
  },
  'must be an object',
);
const file = z.strictObject(
  { models: z.array(z.unknown(), 'must be a list of models').max(1_000, 'must be at most 1000') },
  'must be an object with a list `models`',
);

const KNOWN = {
  '': Object.keys(file.shape),
  models: Object.keys(model.shape),
  prices: Object.keys(prices.shape),
};

/**
 * Reads a models file.
 * @param fileName the name to show in faults
 * @returns the models, or every fault with its line; no fault repeats a value of the file
 */
export function parseModelsFile(
  text: string,
  fileName: string,
): { models: ModelSettings[] } | { faults: Fault[] } {
  const yaml = readYaml(text, fileName);
  if ('faults' in yaml) return yaml;
  const faults = new FaultList();
  const models = read(yaml.value, faults);
  if (faults.count === 0) return { models };
  const line = ({ path }: Fault): number => yaml.lineOf(path) ?? 0;
  const inOrder = faults.all().toSorted((a, b) => line(a) - line(b));
  return { faults: inOrder.map(({ path, message }) => ({ path: yaml.at(path), message })) };
}

function read(value: unknown, faults: FaultList): ModelSettings[] {
  const list = readPart(file, value ?? {}, [], { knownKeys: KNOWN, faults })?.models ?? [];
  const models = list.map((part, i) =>
    readPart(model, part, ['models', i], { knownKeys: KNOWN, faults }),
  );
  const names = list.map((part) => (part as { name?: unknown } | null)?.name);
  models.forEach((settings, i) => settings && addContradictions(settings, i, names, faults));
  return models.filter((settings) => settings !== undefined);
}

/** Adds the faults of a model that is valid alone, but contradicts another one or its provider. */
function addContradictions(
  settings: ModelSettings,
  i: number,
  names: readonly unknown[],
  faults: FaultList,
): void {
  const path = `models[${i}]`;
  const first = names.indexOf(settings.name);
  if (first < i) faults.add(`${path}.name`, `is the name of models[${first}] too`);
  const { provider: name, baseUrl, api } = settings;
  const provider = providerNamed(name);
  if (provider?.own === undefined && baseUrl === undefined)
    faults.add(`${path}.baseUrl`, `is missing: the provider ${name} has no address of its own`);
  if (api !== undefined && !provider?.apis?.includes(api)) {
    const others = PROVIDERS.filter(({ apis }) => apis?.includes(api)).map((each) => each.name);
    faults.add(`${path}.api`, `is for the provider ${others.join(', ')} only`);
  }
  settings.fallback.forEach((other, j) => {
    if (other === settings.name) faults.add(`${path}.fallback[${j}]`, 'is the model itself');
    else if (other !== RUNBOOK && !names.includes(other))
      faults.add(`${path}.fallback[${j}]`, 'is no model of this file, nor runbook');
  });
}
