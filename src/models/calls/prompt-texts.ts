import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { readInstructions, type Brief } from '../../domain/prompt/brief.js';
import { readData } from '../../domain/prompt/data-block.js';
import type { ConversationTexts } from '../../domain/text-calls/quoted-calls.js';

type Prompt = LanguageModelV3CallOptions['prompt'];

/**
 * Returns the texts that a model could quote: all of the conversation except its own calls and the
 * suggested first look.
 */
export function promptTexts(prompt: Prompt): ConversationTexts {
  const leaves: string[] = [];
  const values: string[] = [];
  const addValue = (value: unknown): void => {
    leaves.push(...textsIn(value));
    if (typeof value !== 'string') values.push(JSON.stringify(value) ?? '');
  };
  for (const message of prompt) {
    if (message.role === 'system') {
      const { texts, brief } = partsOf(message.content);
      leaves.push(...texts);
      addValue(brief);
      continue;
    }
    for (const part of message.content) {
      if (part.type === 'text' || part.type === 'reasoning') leaves.push(part.text);
      else if (part.type === 'tool-result' && 'value' in part.output)
        addValue(resultIn(part.output.value));
    }
  }
  return { leaves, values };
}

/** The value of a tool result, which is JSON in a data block. */
function resultIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = readData(value)?.text ?? value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Splits instructions into their texts and the brief. */
function partsOf(system: string): { texts: string[]; brief: unknown } {
  try {
    const { before, brief, after } = readInstructions(system);
    return { texts: [before, after], brief: withoutFirstLook(brief) };
  } catch {
    return { texts: [system], brief: '' };
  }
}

function withoutFirstLook(brief: Brief): unknown {
  if (brief.role === 'worker' || brief.role === 'global_supervisor')
    return { ...brief, firstLook: [] };
  if (brief.role !== 'oracle' || brief.topology === null) return brief;
  const nodes = brief.topology.nodes.map((node) => ({ ...node, firstLook: [] }));
  return { ...brief, topology: { ...brief.topology, nodes } };
}

/** Returns every string in a JSON value, including keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...textsIn(member),
  ]);
}
