import type { DeliveryAttempt, DeliveryDetail } from '@headgate/client'
import { Plot } from '../../../parts/charts/plot.tsx'
import { ms, plural } from '../../../parts/text/format.ts'
import { ClockTime, lengthText, TimeAgo } from '../../../parts/text/time-ago.tsx'
import { isAccepted, outcomeOf } from '../log/delivery-words.ts'

const SHOWN_MAX = 30

/** The bar of an attempt is as long as the smallest of these that holds it. */
const SCALES_MS = [100, 400, 1000, 5000, 30_000]

const PHASES = [
  { name: 'DNS', of: 'lookup', fill: 'f6', key: 'k6' },
  { name: 'Connect', of: 'connect', fill: 'f3', key: 'k3' },
  { name: 'TLS', of: 'tls', fill: 'f4', key: 'k4' },
  { name: 'Wait', of: 'answer', fill: 'f1', key: 'k1' },
] as const

export function AttemptList({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, time_due: due, status } = delivery
  const hidden = Math.max(0, attempts.length - SHOWN_MAX)
  const shown = attempts.slice(hidden)
  return (
    <section class="col" aria-label="Attempts">
      <h3>Attempts</h3>
      {hidden > 0 && <p class="tiny faint">{plural(hidden, 'earlier attempt')} not shown</p>}
      <div>
        {shown.map((attempt, at) => (
          <Attempt key={attempt.time_started} attempt={attempt} next={shown[at + 1]} />
        ))}
      </div>
      {status === 'waiting' && due !== null && (
        <p class="small warn">
          {attempts.length === 0 ? 'First attempt ' : 'Next attempt '}
          <TimeAgo at={due} />
        </p>
      )}
      {attempts.length === 0 && status === 'cancelled' && (
        <p class="small quiet">Cancelled before its first attempt.</p>
      )}
    </section>
  )
}

function Attempt(props: { attempt: DeliveryAttempt; next: DeliveryAttempt | undefined }) {
  const { attempt, next } = props
  const isGood = isAccepted(attempt.status_code)
  const { word, why } = outcomeOf(attempt)
  const { total } = attempt.ms
  return (
    <div class={isGood ? 'att' : 'att bad'}>
      <div class="spread">
        <span>
          <b class={isGood ? 'strong ok' : 'strong bad'}>{word || 'No answer'}</b>{' '}
          <span class="quiet">
            {why || `in ${ms(total)}`}
            {attempt.address !== null && ` from ${attempt.address}`}
          </span>
        </span>
        <span class="quiet tiny">
          <ClockTime at={attempt.time_started} />
        </span>
      </div>
      <PhaseBar attempt={attempt} />
      {next && (
        <span class="wait">
          Waited {lengthText(next.time_started - attempt.time_started - total)}
        </span>
      )}
    </div>
  )
}

function PhaseBar({ attempt }: { attempt: DeliveryAttempt }) {
  const { total } = attempt.ms
  const scale = SCALES_MS.find((one) => total <= one) ?? total
  const isLate = attempt.fault === 'timeout'
  const toneOf = (of: string, tone: string, late: string) =>
    isLate && of === 'answer' ? late : tone
  const words = PHASES.map(({ name, of }) => `${name} ${ms(attempt.ms[of])}`)
  let x = 0
  return (
    <>
      <Plot class="bar wf" width={scale} height={1} label={words.join(', ')}>
        {PHASES.map(({ of, fill }) => {
          const from = x
          x += attempt.ms[of]
          const tone = toneOf(of, fill, 'fwarn')
          return <rect key={of} x={from} width={attempt.ms[of]} height="1" class={tone} />
        })}
      </Plot>
      <div class="phases">
        {PHASES.map(({ name, of, key }) => (
          <span key={of}>
            <i class={`key ${toneOf(of, key, 'warn')}`} />
            {name} <b>{ms(attempt.ms[of])}</b>
          </span>
        ))}
      </div>
    </>
  )
}
