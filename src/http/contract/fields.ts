import { count, flag, integer, number, text } from '../../core/schema/schema.ts'

export const TIME_MS = integer('Milliseconds since 1970, UTC.')

export const BLOCK_NUMBER = count()

export const CU = number({ minimum: 0, description: 'Compute units, exact to the hundredth.' })

export const NAME = text({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-form': 'text without control characters',
  description: '1 to 100 characters, no control characters.',
})

export const AUTOSCALING = flag('Go on past the monthly capacity instead of stopping there.')

const DAY_PATTERN = '\\d{4}-\\d{2}-\\d{2}'
const TIME_PATTERN = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})'

export const MOMENT = text({
  'x-form': 'milliseconds since 1970, a date, or ISO 8601 with a zone',
  pattern: `^(\\d{1,15}|${DAY_PATTERN}(T${TIME_PATTERN})?)$`,
})
