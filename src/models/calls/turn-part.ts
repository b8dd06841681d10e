import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { TurnUsage } from './cost.js';

/** A part of a model's answer. `finish` is the last one, and comes only if the answer is complete. */
export type TurnPart =
  | { type: 'text' | 'reasoning'; text: string }
  | {
      type: 'tool-call';
      tool: string;
      /** JSON as the model wrote it, or what was meant to be. */
      input: string;
    }
  | { type: 'finish'; reason: string; usage: TurnUsage };

/** What a model is asked in one turn. */
export type TurnRequest = Pick<LanguageModelV3CallOptions, 'prompt'> & {
  tools: Extract<NonNullable<LanguageModelV3CallOptions['tools']>[number], { type: 'function' }>[];
  maxOutputTokens?: number;
  /** Name of the tool that the model has to call. */
  toolChoice?: string;
  /** The caller wants to see the reasoning. */
  thinking?: boolean;
};
