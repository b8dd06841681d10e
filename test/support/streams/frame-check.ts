import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from '@jest/globals';
import type { Format } from '../../../src/formats/registry.js';
import { asyncApi } from '../../../src/streams/asyncapi.js';
import { framesOf } from './encode.js';

const { components } = asyncApi() as {
  components: { messages: Record<string, { payload: object }> };
};
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });

const checks = new Map<string, ReturnType<typeof ajv.compile> | undefined>();
function checkOf(id: string) {
  const message = components.messages[id];
  if (!checks.has(id)) checks.set(id, message && ajv.compile(message.payload));
  return checks.get(id);
}

/** Expects every frame of a stream to be a message of the AsyncAPI document. */
export function expectDocumented(format: Format, text: string): void {
  for (const frame of framesOf(text)) {
    const line = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
    const data = line === '[DONE]' ? line : (JSON.parse(line) as { type?: string });
    const kind =
      typeof data === 'string' ? 'DONE' : (/^event: (.*)$/m.exec(frame)?.[1] ?? data.type ?? '');
    const check = checkOf(`${format}.${kind}`);
    expect([kind, check?.(data), check?.errors]).toEqual([kind, true, null]);
  }
}
