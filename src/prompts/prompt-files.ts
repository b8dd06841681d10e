import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { z } from 'zod';
import { readTextFiles, type TextFile } from '../config/read-text-files.js';
import { readYaml } from '../config/yaml-text.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { FaultList } from '../domain/fault-list.js';
import {
  nextStepTexts,
  TEXT_NAMES,
  toolTexts,
  type NextStepCatalogue,
  type Prompts,
  type TextName,
} from '../domain/prompt/prompts.js';
import { readPart } from '../domain/read-part.js';
import { allowed } from '../lib/text.js';

/** Beside `src` and `dist` alike. */
const SHIPPED = join(import.meta.dirname, '../../prompts');
const MAX_BYTES = 131_072;
const STEP = { '': ['look', 'change', 'command'] };

/** A file of texts, as `GET /prompts` lists it. */
export interface PromptFile {
  /** Name of the file: `worker.md`. */
  name: string;
  /** For a YAML file with texts of both: `user`. */
  origin: 'shipped' | 'user';
  /** The first digits of the SHA-256 of its texts: their version. */
  digest: string;
  text: string;
}

/**
 * The texts for models and reports: the shipped ones, and those of PROMPTS_DIR. A `.md` file
 * replaces the shipped one with its name; a `.yaml` file replaces the entries that it contains.
 */
export class PromptFiles {
  readonly prompts: Prompts;
  readonly files: readonly PromptFile[];

  /**
   * @param folder of an operator's texts; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with file, line and reason of everything that is
   *   wrong
   */
  constructor(folder?: string, shipped: string = SHIPPED) {
    const faults: Fault[] = [];
    const ours = read(shipped, undefined, faults);
    const own = folder === undefined ? {} : read(folder, ours, faults);
    if (faults.length > 0) {
      const lines = faults.map(({ path, message }) => `\n  ${path}: ${message}`);
      const message = `Prompts that cannot be used:${lines.join('')}`;
      throw new ConsiliumError('VALIDATION_FAILED', message, { faults });
    }
    this.prompts = {
      texts: { ...ours.texts, ...own.texts } as Prompts['texts'],
      tools: { ...ours.tools, ...own.tools },
      nextSteps: { ...ours.nextSteps, ...own.nextSteps },
    };
    const { texts, tools, nextSteps } = this.prompts;
    this.files = [
      ...TEXT_NAMES.map((name) =>
        fileOf(`${name}.md`, own.texts?.[name] !== undefined, texts[name]),
      ),
      fileOf('tools.yaml', own.tools !== undefined, JSON.stringify(tools, null, 2)),
      fileOf('next-steps.yaml', own.nextSteps !== undefined, JSON.stringify(nextSteps, null, 2)),
    ];
  }
}

const fileOf = (name: string, isOwn: boolean, text: string): PromptFile => ({
  name,
  origin: isOwn ? 'user' : 'shipped',
  digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
  text,
});

/** The texts of a folder. */
interface Texts {
  texts?: Partial<Record<TextName, string>>;
  tools?: Record<string, string> | undefined;
  nextSteps?: NextStepCatalogue | undefined;
}

/**
 * @param known the texts that may be replaced; undefined: these are the shipped ones, which must be
 *   complete
 */
function read(folder: string, known: Texts | undefined, faults: Fault[]): Texts {
  const texts: Partial<Record<TextName, string>> = {};
  for (const { name, file, text } of readTextFiles(folder, '.md', MAX_BYTES)) {
    const own = TEXT_NAMES.find((each) => each === name);
    if (own === undefined) {
      // A folder may have a README.
      if (name.toLowerCase() !== 'readme')
        faults.push({
          path: file,
          message: `is no text of an agent; ${allowed(name, TEXT_NAMES)}`,
        });
    } else if (text.trim() === '') faults.push({ path: file, message: 'is empty' });
    else texts[own] = text;
  }
  const found: Texts = { texts };
  for (const each of readTextFiles(folder, '.yaml', MAX_BYTES)) {
    if (each.name === 'tools') found.tools = readEntries(each, toolTexts, known?.tools, faults);
    else if (each.name === 'next-steps')
      found.nextSteps = readEntries(each, nextStepTexts, known?.nextSteps, faults);
    else
      faults.push({
        path: each.file,
        message: `is not read; ${allowed(each.name, ['tools', 'next-steps'])}`,
      });
  }
  if (!known)
    for (const name of TEXT_NAMES)
      if (texts[name] === undefined)
        faults.push({ path: join(folder, `${name}.md`), message: 'is missing' });
  return found;
}

function readEntries<Schema extends z.ZodType<Record<string, unknown>>>(
  { file, text }: TextFile,
  schema: Schema,
  known: Record<string, unknown> | undefined,
  faults: Fault[],
): z.output<Schema> | undefined {
  const yaml = readYaml(text, file);
  if ('faults' in yaml) return void faults.push(...yaml.faults);
  const list = new FaultList();
  const value = readPart(schema, yaml.value, [], { knownKeys: STEP, faults: list });
  if (known)
    for (const name of Object.keys(value ?? {}))
      if (!Object.hasOwn(known, name))
        list.add(name, `is not an entry of the shipped file; ${allowed(name, Object.keys(known))}`);
  faults.push(...list.all().map(({ path, message }) => ({ path: yaml.at(path), message })));
  return value;
}
