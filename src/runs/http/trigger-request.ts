import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Allow,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  Validate,
  ValidatorConstraint,
} from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';
import type { Fault } from '../../domain/errors.js';
import { MESSAGE_CHARACTERS } from '../../domain/run.js';
import { fitsIn } from '../../lib/text.js';
import { limitsSchema } from '../../domain/limits/limits.js';
import {
  LIMIT_BOUNDS,
  type LimitName,
  type LimitOverrides,
} from '../../domain/limits/limit-bounds.js';

/** No space, control or zero-width character. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** Not blank, and at most 10,000 code points (contract section 3). */
@ValidatorConstraint()
class IsMessage implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && VISIBLE.test(value) && fitsIn(value, MESSAGE_CHARACTERS);
  }

  defaultMessage(): string {
    return `must be a non-blank text of at most ${MESSAGE_CHARACTERS.toLocaleString('en')} characters`;
  }
}

const MOST_NAMES = 1_000;

@ValidatorConstraint()
class IsNames implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return (
      Array.isArray(value) &&
      value.length <= MOST_NAMES &&
      value.every((name) => typeof name === 'string')
    );
  }

  defaultMessage(): string {
    return `must be a list of at most ${MOST_NAMES} names`;
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
    maxLength: MESSAGE_CHARACTERS,
    example: 'Checkout is slow since noon.',
    description: 'The symptom',
  })
  @Validate(IsMessage)
  userMessage!: string;

  @ApiPropertyOptional({ type: 'object', properties: limitProperties, additionalProperties: false })
  @Allow()
  limits?: LimitOverrides;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MOST_NAMES,
    description: 'Ids of the nodes to look at. Neither these nor `teams`: the whole topology',
  })
  @IsOptional()
  @Validate(IsNames)
  nodes?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MOST_NAMES,
    description: 'Names of the teams to send, together with `nodes`',
  })
  @IsOptional()
  @Validate(IsNames)
  teams?: string[];

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'Whether agents may ask to change things: each change waits for the approval of an operator',
  })
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  repair?: boolean;

  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'continue',
    description: 'What happens to a run that no client has followed for 10 s',
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

/** Faults of the limits of a trigger, including unknown keys. */
export function limitFaults({ limits }: TriggerRequest): Fault[] {
  if (limits === undefined) return [];
  const parsed = limitsSchema.safeParse(limits);
  return (parsed.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: `limits.${key}`,
          message: `is not a limit; allowed: ${Object.keys(LIMIT_BOUNDS).join(', ')}`,
        }))
      : [
          {
            path: ['limits', ...issue.path].join('.'),
            message: issue.path.length === 0 ? 'must be an object' : issue.message,
          },
        ],
  );
}
