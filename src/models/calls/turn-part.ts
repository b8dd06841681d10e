import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { TurnUsage } from './cost.js';

/** A part of a model's answer. `finish` is the last part; an incomplete answer has none. */
export type TurnPart =
  | { type: 'text' | 'reasoning'; text: string }
  | {
      type: 'tool-call';
      tool: string;
      /** The arguments as the model wrote them; they may be invalid JSON. */
      input: string;
    }
  | { type: 'finish'; reason: string; usage: TurnUsage };

/** The request for one turn of a model. */
export type TurnRequest = Pick<LanguageModelV3CallOptions, 'prompt'> & {
  tools: Extract<NonNullable<LanguageModelV3CallOptions['tools']>[number], { type: 'function' }>[];
  maxOutputTokens?: number;
  /** Name of the tool that the model must call. */
  toolChoice?: string;
  /** The caller wants to see the reasoning. */
  thinking?: boolean;
};
