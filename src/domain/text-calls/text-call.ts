/** A tool call that a model wrote as text. */
export interface TextCall {
  tool: string;
  /** The arguments as the model wrote them; they may be invalid JSON. */
  input: string;
  /** The part of the text that is the call, without the text around it. */
  written: string;
}

/**
 * The offered tools, each with the names of its string parameters: in XML, `5` may be a string or a
 * number.
 */
export type OfferedTools = ReadonlyMap<string, ReadonlySet<string>>;
