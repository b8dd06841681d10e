/** A tool that an agent's model may call. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of its arguments. */
  schema: object;
  /** Undefined: the description from the run's texts. */
  description?: string;
}
