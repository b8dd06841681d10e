import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Fault } from '../domain/errors.js';
import { stepsOf } from '../lib/paths.js';
import { yamlDepth } from '../lib/yaml-depth.js';
import { repeatedKeys } from './repeated-keys.js';

/** Maximum aliases of a file: more could expand a small file to a huge one. */
const ALIASES = 100;
/** Maximum nesting; the parser is recursive. */
const DEPTH = 64;

/** A YAML file of the configuration: its value, and the line of each path in it. */
export interface YamlText {
  value: unknown;
  /**
   * `models.yaml:12 models[0].name`: a path, with the line of its value or of its nearest parent
   * that exists.
   */
  at(path: string): string;
  lineOf(path: string): number | undefined;
}

/**
 * Reads a YAML text.
 * @param fileName the name to show in faults
 * @returns the value, or every fault with its line; no fault repeats a value of the file
 */
export function readYaml(text: string, fileName: string): YamlText | { faults: Fault[] } {
  if (yamlDepth(text) > DEPTH)
    return { faults: [{ path: fileName, message: `is nested deeper than ${DEPTH} levels` }] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    // With `silent`, the parser takes the first of several documents.
    logLevel: 'error',
    prettyErrors: false,
    uniqueKeys: false,
    lineCounter: lines,
  });
  const errors = [
    ...document.errors.map(({ pos: [offset], code }) => ({ offset, code })),
    ...repeatedKeys(document).map((offset) => ({ offset, code: 'DUPLICATE_KEY' })),
  ];
  if (errors.length > 0)
    return {
      faults: errors.map(({ offset, code }) => ({
        path: `${fileName}:${lines.linePos(offset).line}`,
        message: `is not YAML here (${code.toLowerCase().replaceAll('_', ' ')})`,
      })),
    };
  const lineOf = (path: string): number | undefined => {
    const steps = stepsOf(path);
    for (; ; steps.pop()) {
      const node = steps.length === 0 ? document.contents : document.getIn(steps, true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      if (steps.length === 0) return undefined;
    }
  };
  const at = (path: string): string => {
    const line = lineOf(path);
    return `${fileName}${line === undefined ? '' : `:${line}`}${path === '' ? '' : ` ${path}`}`;
  };
  try {
    return { value: document.toJS({ maxAliasCount: ALIASES }) as unknown, at, lineOf };
  } catch {
    const message = 'has aliases that cannot be resolved, or too many';
    return { faults: [{ path: at(''), message }] };
  }
}
