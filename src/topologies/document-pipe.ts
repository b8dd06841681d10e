import type { PipeTransform } from '@nestjs/common';
import { invalid } from '../http/parse.js';
import { parseInThread } from './parse-in-thread.js';
import { tooManyValues, type ParsedText } from './topology-text.js';

/** The value of a body. `Topologies.parse` validates it and reports all faults at once. */
export type TopologyDocument = { readonly value: unknown };

/** Passes parsed JSON on, and parses YAML. A body with too many values is refused before it is validated. */
export class DocumentPipe implements PipeTransform<unknown, Promise<TopologyDocument>> {
  constructor(private readonly parseYaml = (text: string) => parseInThread(text)) {}

  /** @throws ConsiliumError VALIDATION_FAILED, UNAVAILABLE */
  async transform(body: unknown): Promise<TopologyDocument> {
    const parsed = typeof body === 'string' ? await this.parseYaml(body) : bounded(body);
    if ('value' in parsed) return parsed;
    throw invalid(parsed.faults.map(({ path, message }) => ({ path: path || 'body', message })));
  }
}

function bounded(value: unknown): ParsedText {
  const faults = tooManyValues(value);
  return faults.length > 0 ? { faults } : { value };
}
