/** A tool call that a model wrote as text. */
export interface TextCall {
  tool: string;
  /** The arguments as written: JSON, or what was meant to be. */
  input: string;
  /** The part of the text that says it, without what is around it. */
  written: string;
}

/** The tools that were offered, each with those of its parameters that are texts: in XML, `5` may be either. */
export type Offered = ReadonlyMap<string, ReadonlySet<string>>;
