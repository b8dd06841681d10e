import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { OfferedTools } from '../../domain/text-calls/text-call.js';

/** Returns the name of each tool with the names of its parameters that may be strings. */
export function offeredTools(tools: readonly LanguageModelV3FunctionTool[]): OfferedTools {
  return new Map(
    tools.map(({ name, inputSchema }) => {
      const texts = Object.entries(inputSchema.properties ?? {}).flatMap(([key, schema]) =>
        isText(schema) ? [key] : [],
      );
      return [name, new Set(texts)] as const;
    }),
  );
}

function isText(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown };
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string');
  return type === 'string';
}
