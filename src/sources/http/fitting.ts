import { SourceError } from './source-error.js';

/**
 * Requests this many items, and fewer if the answer is too large.
 * @throws errors of `read`, also if a single item is too large
 */
export async function fitting<Answer>(
  most: number,
  read: (most: number) => Promise<Answer>,
): Promise<Answer> {
  for (let fewer = most; ; fewer = Math.ceil(fewer / 8))
    try {
      return await read(fewer);
    } catch (error) {
      const isTooLarge = error instanceof SourceError && error.options.isTooLarge === true;
      if (!isTooLarge || fewer === 1) throw error;
    }
}
