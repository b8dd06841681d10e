import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  Validate,
  ValidatorConstraint,
  validateSync,
} from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';
import { ConsiliumError, type Fault } from '../../domain/errors.js';
import {
  LIMIT_BOUNDS,
  limitsSchema,
  type LimitName,
  type LimitOverrides,
} from '../../domain/limits/limits.js';

const MOST_CHARACTERS = 10_000;

/** Neither space nor control nor zero-width. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** Not blank, and at most 10,000 code points: contract section 3. */
@ValidatorConstraint()
class IsMessage implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    if (typeof value !== 'string' || !VISIBLE.test(value)) return false;
    return (
      value.length <= MOST_CHARACTERS ||
      (value.length <= 2 * MOST_CHARACTERS && [...value].length <= MOST_CHARACTERS)
    );
  }

  defaultMessage(): string {
    return `must be a text that is not blank, of at most ${MOST_CHARACTERS.toLocaleString('en')} characters`;
  }
}

const limitProperties = Object.fromEntries(
  (Object.keys(LIMIT_BOUNDS) as LimitName[]).map((name) => {
    const [, , minimum, maximum] = LIMIT_BOUNDS[name];
    return [name, { type: 'integer' as const, minimum, maximum, default: LIMIT_BOUNDS[name][1] }];
  }),
);

const ID_RANGE = `must be a positive integer, at most ${Number.MAX_SAFE_INTEGER}`;

/** Body of `POST /executions/trigger`. */
export class TriggerRequest {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1, description: 'The topology to diagnose' })
  @IsInt({ message: ID_RANGE })
  @Min(1, { message: ID_RANGE })
  @Max(Number.MAX_SAFE_INTEGER, { message: ID_RANGE })
  topologyId!: number;

  @ApiProperty({
    maxLength: MOST_CHARACTERS,
    example: 'Checkout is slow since noon.',
    description: 'What seems to be wrong',
  })
  @Validate(IsMessage)
  userMessage!: string;

  @ApiPropertyOptional({ type: 'object', properties: limitProperties, additionalProperties: false })
  limits?: LimitOverrides;

  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'continue',
    description: 'When nobody has followed the run for 10 s',
  })
  @IsOptional()
  @IsIn(['continue', 'cancel'], { message: 'must be "continue" or "cancel"' })
  onDisconnect?: 'continue' | 'cancel';
}

/** Body of `POST /executions/cancel`. */
export class CancelRequest {
  @ApiProperty({ example: '01960d3c-5f2a-7cc0-8000-0123456789ab' })
  @IsString({ message: 'must be the id of a run' })
  runId!: string;
}

/** Checks a body and names every fault in it. @throws ConsiliumError VALIDATION_FAILED */
function parse<T extends object>(
  type: new () => T,
  body: unknown,
  more: (body: object) => Fault[] = () => [],
): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', {
      faults: [{ path: 'body', message: 'must be a JSON object' }],
    });
  const request = plainToInstance(type, body);
  const faults = validateSync(request).map(({ property, constraints }) => ({
    path: property,
    message: Object.values(constraints ?? {})[0] ?? 'is not valid',
  }));
  faults.push(...more(body));
  if (faults.length > 0)
    throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults });
  return request;
}

const limitFaults = (body: object): Fault[] => {
  const limits = (body as { limits?: unknown }).limits;
  if (limits === undefined) return [];
  const parsed = limitsSchema.safeParse(limits);
  return (parsed.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: `limits.${key}`,
          message: `is no limit; limits are ${Object.keys(LIMIT_BOUNDS).join(', ')}`,
        }))
      : [
          {
            path: ['limits', ...issue.path].join('.'),
            message: issue.path.length === 0 ? 'must be an object' : issue.message,
          },
        ],
  );
};

export const parseTrigger = (body: unknown): TriggerRequest =>
  parse(TriggerRequest, body, limitFaults);
export const parseCancel = (body: unknown): CancelRequest => parse(CancelRequest, body);
