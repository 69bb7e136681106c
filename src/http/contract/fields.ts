import type { JsonSchema } from '../../core/schema/json-schema.ts'
import { count, flag, integer, number, type Schema, text } from '../../core/schema/schema.ts'

export const TIME_MS = integer('Milliseconds since 1970, UTC.')

export const BLOCK_NUMBER = count()

export const CU = number({ minimum: 0, description: 'Compute units, exact to the hundredth.' })

export const NAME = line({
  minLength: 1,
  maxLength: 100,
  description: '1 to 100 characters, no control characters.',
})

/** Names of inboxes and of the nodes of the embedded chain. */
export const LOCAL_NAME = text({
  pattern: '^[a-z0-9-]{1,64}$',
  'x-form': '1 to 64 lower-case letters, digits and hyphens',
})

export const AUTOSCALING = flag('Go on past the monthly capacity instead of stopping there.')

const DAY_PATTERN = '\\d{4}-\\d{2}-\\d{2}'
const TIME_PATTERN = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})'

export const MOMENT = text({
  'x-form': 'milliseconds since 1970, a date, or ISO 8601 with a zone',
  pattern: `^(\\d{1,15}|${DAY_PATTERN}(T${TIME_PATTERN})?)$`,
})

export function line(rules: JsonSchema): Schema<string> {
  const form = 'text without control characters'
  return text({ ...rules, pattern: '^[^\\p{Cc}\\p{Cs}]*$', 'x-form': form })
}

export function lines(rules: JsonSchema): Schema<string> {
  const form = 'text without control characters but line breaks and tabs'
  return text({ ...rules, pattern: '^([^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$', 'x-form': form })
}
