import { object, type JsonSchema } from '../domain/json-schema.js';
import type { FrameSchemas } from './stream-format.js';

/** The properties of each kind of frame; a name that ends in `?` is optional. */
type FrameProperties = Record<string, Record<string, JsonSchema>>;

const schemasOf = (kinds: FrameProperties, named: boolean): FrameSchemas =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, keys]) => [
      name,
      object(named ? keys : { type: { const: name }, ...keys }),
    ]),
  );

/** Schemas of frames whose kind is `data.type`. */
export const typedFrames = (kinds: FrameProperties): FrameSchemas => schemasOf(kinds, false);

/** Schemas of frames whose kind is the name of the SSE event. */
export const namedFrames = (kinds: FrameProperties): FrameSchemas => schemasOf(kinds, true);
