import { type Command, InvalidArgumentError } from 'commander'
import { terminalClock } from '../../wiring/terminal-clock.ts'
import { callCommand, several } from '../calls/call-command.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { runCall } from '../connect/run-call.ts'

type Said = ConnectionOptions & { forward: string; webhook?: string[]; since?: number }

export function addListenCommand(program: Command): void {
  callCommand(program, 'listen', {
    does: 'forward deliveries to an app on this machine, without a tunnel',
    more:
      'Each delivery comes as its destination gets it: the same bytes and headers, signed with the ' +
      'webhook’s own key. Its destination gets it as well, whatever the local app answers.',
    examples: [
      ['listen --forward http://localhost:3000/hooks', 'all webhooks of the team'],
      ['listen --forward http://localhost:3000 --webhook wh_9c5v2b8n4m1k7j3h', 'one of them'],
      ['listen --forward http://localhost:3000 --since 2h', 'with those of the last two hours'],
    ],
  })
    .requiredOption('--forward <url>', 'the address of the local app', localAddress)
    .option('--webhook <id>', 'only deliveries of this webhook; may be repeated', several)
    .option('--since <moment>', 'also those since then: 10m, 2h, a date or ISO 8601', moment)
    .action(({ since, ...options }: Said) =>
      runCall(options, async (calling) => {
        const { runListen } = await import('./run-listen.ts')
        await runListen(calling, { ...options, ...(since !== undefined && { sinceMs: since }) })
      }),
    )
}

function localAddress(text: string): string {
  const url = URL.parse(/^[\w.-]+:\d+/.test(text) ? `http://${text}` : text)
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new InvalidArgumentError('It takes an address such as http://localhost:3000.')
}

function moment(text: string): number {
  const ms = readSince(text, terminalClock().nowMs())
  if (ms !== null) return ms
  throw new InvalidArgumentError('It takes 10m, 2h, 3d, a date or ISO 8601 with a zone.')
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A moment in ms: `10m` or `2h` ago, a date, or ISO 8601; null where it is none of them. */
export function readSince(text: string, nowMs: number): number | null {
  const [, digits, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (digits !== undefined) return nowMs - Number(digits) * (UNITS_MS[unit] ?? 0)
  const isMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/
  const ms = isMoment.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
