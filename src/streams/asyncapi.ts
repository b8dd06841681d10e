import type { JsonSchema } from '../domain/json-schema.js';
import { FORMATS, formatOf, type Format } from '../formats/registry.js';

const ADDRESS = '/api/service/v1/executions/{runId}/events';

/** The frames of a format by name, with the schema of their `data`. */
function payloads(format: Format): Record<string, JsonSchema> {
  const { frames, sentinel } = formatOf(format);
  return { ...frames, ...(sentinel && { [sentinel]: { type: 'string', const: sentinel } }) };
}

/** A name in the document: letters, digits, and what may stand between them. */
const key = (format: Format, name: string) => `${format}.${name.replace(/[[\]]/g, '')}`;

/** The event streams of the service as an AsyncAPI 3 document, of the same definitions as the encoders' tests and OpenAPI. */
export function asyncApi(): JsonSchema {
  const messages: Record<string, JsonSchema> = {};
  const channels: Record<string, JsonSchema> = {};
  const operations: Record<string, JsonSchema> = {};
  for (const format of FORMATS) {
    const named = Object.entries(payloads(format)).map(([name, payload]) => ({
      name,
      id: key(format, name),
      payload,
    }));
    for (const { name, id, payload } of named)
      messages[id] = { name, title: name, contentType: 'application/json', payload };
    channels[format] = {
      address: `${ADDRESS}?format=${format}`,
      title: `The log of a run as ${format}`,
      description:
        'Server-sent events (text/event-stream): what was logged after `Last-Event-ID`, then live, to the terminal event.',
      parameters: { runId: { description: 'The run, as X-Run-Id and Location name it' } },
      messages: Object.fromEntries(
        named.map(({ id }) => [id, { $ref: `#/components/messages/${id}` }]),
      ),
    };
    operations[`follow-${format}`] = {
      action: 'send',
      channel: { $ref: `#/channels/${format}` },
      summary: `Sends the frames of a run as ${format}`,
      messages: named.map(({ id }) => ({ $ref: `#/channels/${format}/messages/${id}` })),
    };
  }
  return {
    asyncapi: '3.0.0',
    id: 'urn:consilium:service',
    info: {
      title: 'Consilium',
      version: '1',
      description:
        'The event streams of runs: one log, many encodings. The calls are in the OpenAPI document, at /docs-json.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { messages },
  };
}
