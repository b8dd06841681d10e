import { Parser } from '@asyncapi/parser';
import { describe, expect, test } from '@jest/globals';
import { FORMATS } from '../../src/formats/registry.js';
import { asyncApi } from '../../src/streams/asyncapi.js';
import { encodeLog } from '../support/streams/encode.js';
import { expectDocumented } from '../support/streams/frame-check.js';
import { LOGS } from '../support/streams/logs.js';
import { Scene } from '../support/scene.js';

const document = asyncApi();

test("AsyncAPI's own parser has nothing to say against the document that is served", async () => {
  const scene = new Scene();
  const api = await scene.service();
  const served = await (await fetch(`${api.url}/docs/asyncapi.json`)).text();
  await scene.close();
  expect(JSON.parse(served)).toEqual(document);
  const { document: parsed, diagnostics } = await new Parser().parse(served);
  // A newer version of AsyncAPI is not a fault.
  expect(
    diagnostics
      .filter(({ code }) => code !== 'asyncapi-latest-version')
      .map(({ code, message, path }) => ({ code, message, path })),
  ).toEqual([]);
  expect(
    parsed
      ?.channels()
      .all()
      .map((channel) => channel.id()),
  ).toEqual([...FORMATS]);
});

describe.each(FORMATS)('format %s', (format) => {
  test.each(Object.keys(LOGS))('%s: every frame is a message of the document', (name) => {
    expectDocumented(format, encodeLog(format, LOGS[name] as string[]));
  });
});
