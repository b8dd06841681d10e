import type { Exchange } from './provider-server.js';

const BLOCK = /\[data (\w+) from [^\n]*\]\n[\s\S]*?\n\[end \1\]/g;

/** The texts of a request to a model: those outside of data blocks, and the data blocks. */
export function partsOf(exchange: Exchange | undefined): { own: string; data: string } {
  const texts = textsIn(exchange?.body);
  return {
    own: texts.map((text) => text.replaceAll(BLOCK, '')).join('\n'),
    data: texts.flatMap((text) => text.match(BLOCK) ?? []).join('\n'),
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
