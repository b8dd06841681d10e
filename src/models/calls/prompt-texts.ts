import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { readBrief, type Brief } from '../../domain/diagnosis/brief.js';
import type { ConversationTexts } from '../../domain/text-calls/quoted-calls.js';

type Prompt = LanguageModelV3CallOptions['prompt'];

/** Returns the texts that a model could quote: all of the conversation except its own calls and the suggested first look. */
export function promptTexts(prompt: Prompt): ConversationTexts {
  const leaves: string[] = [];
  const values: string[] = [];
  const addValue = (value: unknown): void => {
    leaves.push(...textsIn(value));
    if (typeof value !== 'string') values.push(JSON.stringify(value) ?? '');
  };
  for (const message of prompt) {
    if (message.role === 'system') {
      const { instructions, brief } = partsOf(message.content);
      leaves.push(instructions);
      addValue(brief);
      continue;
    }
    for (const part of message.content) {
      if (part.type === 'text' || part.type === 'reasoning') leaves.push(part.text);
      else if (part.type === 'tool-result' && 'value' in part.output) addValue(part.output.value);
    }
  }
  return { leaves, values };
}

/** Splits a system prompt into its text and the JSON on its last line. */
function partsOf(system: string): { instructions: string; brief: unknown } {
  try {
    const brief = withoutFirstLook(readBrief(system));
    return { instructions: system.slice(0, system.lastIndexOf('\n') + 1), brief };
  } catch {
    return { instructions: system, brief: '' };
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
