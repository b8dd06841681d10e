import { object, type JsonSchema } from '../domain/json-schema.js';
import type { FrameSchemas } from './stream-format.js';

/** The properties of each kind of frame; a name that ends in `?` may be missing. */
type Kinds = Record<string, Record<string, JsonSchema>>;

const schemasOf = (kinds: Kinds, named: boolean): FrameSchemas =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, keys]) => [
      name,
      object(named ? keys : { type: { const: name }, ...keys }),
    ]),
  );

/** Frames that `data.type` names. */
export const typedFrames = (kinds: Kinds): FrameSchemas => schemasOf(kinds, false);

/** Frames that the SSE event names. */
export const namedFrames = (kinds: Kinds): FrameSchemas => schemasOf(kinds, true);
