import type { AddFault } from './behaviour-faults.js';
import { describe, type Form } from './form.js';
import type { Arguments, OptionKinds } from './read-arguments.js';
import { readNames, readReference } from './read-values.js';
import type { ModelOptions } from './tree.js';

/** Options of an llm-call. */
export const MODEL_OPTIONS: OptionKinds = {
  model: 'value',
  messages: 'value',
  tools: 'value',
  'stream-to': 'value',
  budget: 'value',
  interruptible: 'value',
  timeout: 'value',
};

/** Default timeout in s. */
const TIMEOUT = 120;
const MOST = { timeout: 3_600, budget: 2_000_000 } as const;

/** Reads the options of an llm-call. `:timeout` is in seconds. */
export function readModelOptions({ options }: Arguments, fault: AddFault): ModelOptions {
  const take = <Value>(
    name: string,
    expected: string,
    read: (form: Form) => Value | undefined,
  ): Value | undefined => {
    const form = options.get(name);
    if (!form) return undefined;
    const value = read(form);
    if (value === undefined)
      fault(form, `expected ${expected} for :${name}, not ${describe(form)}`);
    return value;
  };
  const numberTo = (most: number) => (form: Form) =>
    form.kind === 'number' && form.value > 0 && form.value <= most ? form.value : undefined;

  const model = take('model', 'the name of a model or (blackboard :key)', (form) =>
    form.kind === 'string' ? form.value : form.kind === 'symbol' ? form.name : readReference(form),
  );
  const messages = take('messages', '(blackboard :key)', readReference);
  const tools = take(
    'tools',
    'a vector of names or (blackboard :key)',
    (form) => readNames(form) ?? readReference(form),
  );
  const streamTo = take('stream-to', 'a vector of :keys', readNames);
  const budget = take(
    'budget',
    `a whole number of tokens up to ${MOST.budget} or (blackboard :key)`,
    (form) =>
      form.kind === 'number' && Number.isInteger(form.value)
        ? numberTo(MOST.budget)(form)
        : readReference(form),
  );
  const interruptible = take('interruptible', 'true or false', (form) =>
    form.kind === 'literal' && form.value !== null ? form.value : undefined,
  );
  const timeout =
    take('timeout', `seconds, more than 0 and up to ${MOST.timeout},`, numberTo(MOST.timeout)) ??
    TIMEOUT;
  return {
    ...(model !== undefined && { model }),
    ...(messages && { messages }),
    ...(tools && { tools }),
    ...(streamTo && { streamTo }),
    ...(budget !== undefined && { budget }),
    ...(interruptible !== undefined && { interruptible }),
    timeoutMs: Math.round(timeout * 1_000),
  };
}
