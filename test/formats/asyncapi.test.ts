import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from '@jest/globals';
import { FORMATS } from '../../src/domain/formats/format.js';
import { asyncApi } from '../../src/streams/asyncapi.js';
import { encodeLog, framesOf } from '../support/encode.js';
import { LOGS } from '../support/logs.js';
import { Scene } from '../support/scene.js';

const document = asyncApi() as { components: { messages: Record<string, { payload: object }> } };

test("AsyncAPI's own parser has nothing to say against the document that is served", async () => {
  const scene = new Scene();
  const api = await scene.service();
  const served = await (await fetch(`${api.url}/docs/asyncapi.json`)).text();
  await scene.close();
  expect(JSON.parse(served)).toEqual(document);
  const { document: parsed, diagnostics } = await new Parser().parse(served);
  // That there may be a newer version of AsyncAPI is no fault.
  expect(
    diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version').map(({ code, message, path }) => ({ code, message, path })),
  ).toEqual([]);
  expect(
    parsed
      ?.channels()
      .all()
      .map((channel) => channel.id()),
  ).toEqual([...FORMATS]);
});

describe.each(FORMATS)('format %s', (format) => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  const known = new Map<string, ReturnType<typeof ajv.compile>>();
  for (const [id, { payload }] of Object.entries(document.components.messages))
    if (id.startsWith(`${format}.`)) known.set(id.slice(format.length + 1), ajv.compile(payload));

  test.each(Object.keys(LOGS))('%s: every frame is a message of the document', (name) => {
    for (const frame of framesOf(encodeLog(format, LOGS[name] as string[]))) {
      const text = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
      const data = text === '[DONE]' ? text : (JSON.parse(text) as { type?: string });
      const kind = typeof data === 'string' ? 'DONE' : (/^event: (.*)$/m.exec(frame)?.[1] ?? data.type ?? '');
      const check = known.get(kind);
      expect([kind, check?.(data), check?.errors]).toEqual([kind, true, null]);
    }
  });
});
