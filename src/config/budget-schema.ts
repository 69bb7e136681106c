import { choice, integer, mapOf, object, type Static, text } from '../core/schema/schema.ts'
import { whole, wholeOr } from './config-options.ts'
import { VENDOR_CREDITS } from './vendors/vendor-credits.ts'

/** Sums of these stay exact numbers. */
const CREDITS_PER_MONTH_MAX = 1_000_000_000_000_000
const CREDITS_PER_CALL_MAX = 1_000_000_000
const METHODS_MAX = 1000

export type BudgetValues = Static<typeof BUDGET_SCHEMA>

export const BUDGET_SCHEMA = {
  ...object(
    {},
    {
      account: text({
        description:
          'Upstreams with the same account share one budget, as networks of one vendor key do. ' +
          'Default: each has its own; a vendor of the top-level upstreams has one for all networks.',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
        'x-form': 'up to 63 letters, digits, dots, dashes or underscores',
      }),
      requestsPerSecond: whole(1, 1_000_000, 'Requests a second, of all processes together.'),
      creditsPerMonth: whole(
        1,
        CREDITS_PER_MONTH_MAX,
        'Credits from one reset day to the next, of all processes together.',
      ),
      credits: mapOf(integer({ minimum: 0, maximum: CREDITS_PER_CALL_MAX }), {
        description: 'Credits of a call by method; default is for all others. Default: 1 each.',
        maxProperties: METHODS_MAX,
        propertyNames: {
          pattern: '^[A-Za-z][A-Za-z0-9_]{0,127}$',
          'x-form': 'named after a method, or default',
        },
      }),
      creditsOf: choice(
        Object.keys(VENDOR_CREDITS) as (keyof typeof VENDOR_CREDITS)[],
        'Counts calls as this vendor does; what credits says comes before it.',
      ),
      resetDay: wholeOr(
        1,
        1,
        31,
        'Day of the month, in UTC, on which credits begin anew; the last day of a shorter month.',
      ),
    },
  ),
  description: 'What may be spent there. Default: no limit.',
}
