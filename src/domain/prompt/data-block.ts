/** A text that this service did not write, as a model reads it. */
export interface DataBlock {
  /** Where it came from: "http_probe of shop". */
  origin: string;
  text: string;
}

/**
 * The end of the origin of a call that the service refused: its text is for the model, not for the
 * person.
 */
export const REFUSED_ORIGIN = ', refused';

const BEGIN = /^\[data ([0-9a-f]{6,64}) from ([^\n]*)\]\n/;

/**
 * A foreign text between two lines with a code that its author cannot know, so that it cannot end
 * the block itself.
 * @param code random hexadecimal digits, one code for a run
 */
export const writeData = ({ origin, text }: DataBlock, code: string): string =>
  `[data ${code} from ${origin.replaceAll(/[\n\]]+/g, ' ')}]\n${text}\n[end ${code}]`;

/**
 * The block at the beginning of a text, and the text after it; undefined if it begins with none.
 */
export function readData(text: string): (DataBlock & { rest: string }) | undefined {
  const [head, code, origin = ''] = BEGIN.exec(text) ?? [];
  if (head === undefined) return undefined;
  const end = `\n[end ${code}]`;
  const at = text.indexOf(end, head.length - 1);
  if (at < 0) return undefined;
  return { origin, text: text.slice(head.length, at), rest: text.slice(at + end.length) };
}
