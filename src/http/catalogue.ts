import { z } from 'zod';
import { Answers } from './openapi.js';

/** The answer of a method that lists everything there is of a kind, on one page. @param item its fields; more may come */
export const AnswersAll = (item: z.ZodRawShape): MethodDecorator =>
  Answers(z.object({ items: z.array(z.looseObject(item)), nextCursor: z.null() }));

/** A list that is one page. */
export const onePage = <Item>(items: Item[]) => ({ items, nextCursor: null });
