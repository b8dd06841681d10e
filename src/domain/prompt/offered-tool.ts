/** A tool that an agent's model may call. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of its arguments. */
  schema: object;
  /** Undefined: as the texts of the run describe it. */
  description?: string;
}
