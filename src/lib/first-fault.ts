import { z } from 'zod';

/**
 * A list whose validation ends soon after its first fault. `z.array` reports every fault, which
 * takes seconds for a list of nothing else.
 * @param size entries that are validated together; one where an entry may have many faults
 */
export const arrayToFirstFault = <Item extends z.ZodType>(item: Item, size = 100) => {
  const part = z.array(item);
  return z.array(z.unknown()).transform((list, context): z.output<Item>[] => {
    const valid: z.output<Item>[] = [];
    for (let from = 0; from < list.length; from += size) {
      const parsed = part.safeParse(list.slice(from, from + size));
      if (!parsed.success) {
        const [fault] = parsed.error.issues;
        const [index, ...path] = fault?.path ?? [];
        context.addIssue({
          code: 'custom',
          message: fault?.message ?? 'is not valid',
          path: [from + Number(index ?? 0), ...path],
        });
        return z.NEVER;
      }
      for (const each of parsed.data) valid.push(each);
    }
    return valid;
  });
};

/** An object of texts, such as labels. `z.record` reports every fault of it. */
export const textsObject = z.custom<Record<string, string>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string'),
  'must be an object of texts',
);
