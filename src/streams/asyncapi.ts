import type { JsonSchema } from '../domain/json-schema.js';
import { FORMATS, formatOf, type Format } from '../formats/registry.js';

const ADDRESS = '/api/service/v1/executions/{runId}/events';

/** The frames of a format by name, with the schema of their `data`. */
function payloads(format: Format): Record<string, JsonSchema> {
  const { frames, sentinel } = formatOf(format);
  return { ...frames, ...(sentinel && { [sentinel]: { type: 'string', const: sentinel } }) };
}

/** A component name: letters, digits, dots, dashes and underscores. */
const key = (format: Format, name: string) => `${format}.${name.replace(/[[\]]/g, '')}`;

/**
 * The event streams of the service as an AsyncAPI 3 document, from the definitions that OpenAPI and
 * the tests of the encoders use.
 */
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
        'Server-sent events (text/event-stream): the events after `Last-Event-ID`, then new ones until the terminal event.',
      parameters: { runId: { description: 'The id of the run, as in X-Run-Id and Location' } },
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
        'The event streams of runs: one log, many encodings. The requests are in the OpenAPI document at /docs-json.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { messages },
  };
}
