import { z } from 'zod';
import { Answers } from './openapi.js';

/**
 * Documents the response of a method that lists all items of a kind on one page.
 * @param item fields of an item; more may be added
 */
export const AnswersAll = (item: z.ZodRawShape): MethodDecorator =>
  Answers(z.object({ items: z.array(z.looseObject(item)), nextCursor: z.null() }));

/** A list with a single page. */
export const onePage = <Item>(items: Item[]) => ({ items, nextCursor: null });
