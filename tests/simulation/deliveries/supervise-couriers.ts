import type { Courier } from '../../../src/courier/courier.ts'
import type { EventNews } from '../../../src/tables/chain/chain-events.ts'
import type { Chance } from '../../support/seeded-chance.ts'
import { beginLife, type Doom, type Life } from '../process-life.ts'
import { NO_FAULTS, type SimStore } from '../sim-store.ts'
import { complain, type DeliveryRun, isAlone, isPrompt } from './delivery-run.ts'
import { judgeRestart, judgeStop } from './judge-restart.ts'
import type { CourierPlan } from './plan-deliveries.ts'
import { startCourier } from './sim-courier.ts'
import type { SimSignals } from './sim-signals.ts'

type Needs = { run: DeliveryRun; chance: Chance; store: SimStore; signals: SimSignals }

export type Couriers = {
  /** An event brought something. Told, or not, to each that lives. */
  remind(news: EventNews): void
  /** Ends them all, without letting them finish anything. */
  end(): void
}

const ANY_STEPS_MAX = 400
const FEW_STEPS_MAX = 25
const STOP_RATE = 0.25
const STOP_MS_MAX = 8_000

/** Starts the couriers, crashes them and starts them again. */
export function superviseCouriers(needs: Needs): Couriers {
  const { run, signals } = needs
  const crashes = { left: run.plan.crashesMax }
  const living = new Map<Life, Courier | null>()
  for (const plan of run.plan.couriers) {
    run.clock.after(plan.startAtMs, () => startOver(needs, plan, living, crashes))
    if (plan.jump) run.clock.after(plan.jump.atMs, () => setClocks(run, plan))
  }
  return {
    remind(news) {
      const webhookIds = news.deliveries.map(({ webhookId }) => webhookId)
      for (const [life, courier] of living) {
        // What is in hand is handed over within one process, where nothing gets lost but with it.
        if (news.inHand) courier?.remind(webhookIds, news)
        else signals.hint(life, () => courier?.remind(webhookIds, news))
      }
    },
    end() {
      for (const life of [...living.keys()]) {
        living.delete(life)
        life.end('the run is over')
      }
    },
  }
}

/** Of all that ever ran on that machine; the dead do not notice. */
function setClocks(run: DeliveryRun, plan: CourierPlan): void {
  run.trace.note(plan.name, 'has its clock set by', plan.jump?.byMs ?? 0)
  for (const name of run.skews.keys()) {
    if (name.startsWith(plan.name)) run.skews.set(name, skewNow(run, plan))
  }
}

function startOver(
  needs: Needs,
  plan: CourierPlan,
  living: Map<Life, Courier | null>,
  crashes: { left: number },
  starts = 1,
): void {
  const { run, chance, store, signals } = needs
  const { clock, trace } = run
  const isCalm = () => clock.elapsedMs() >= run.plan.calmAtMs
  const name = `${plan.name}${starts}`
  let doom = crashes.left > 0 ? planDoom(chance) : null
  if (doom) crashes.left--
  const life = beginLife(
    name,
    () => (isCalm() ? null : doom),
    (why) => {
      trace.note(name, why)
      // Ended from outside, it is not to come back.
      if (!living.delete(life)) return
      clock.after(Math.floor(chance.fraction() ** 2 * run.plan.downMsMax), () =>
        startOver(needs, plan, living, crashes, starts + 1),
      )
    },
  )
  // It may die while it starts.
  living.set(life, null)
  trace.note(name, 'starts', doom ? `dies after ${doom.steps} ${doom.kind}` : '')
  const database = store.connect(
    life,
    () => (isCalm() ? NO_FAULTS : run.plan.store),
    () => {},
  )
  const courier = startCourier(run, life, skewNow(run, plan), database, signals, chance)
  if (!life.alive) return
  living.set(life, courier)
  let isStopping = false
  if (isAlone(run.plan)) judgeRestart(run, life, () => isStopping)
  if (!doom || chance.fraction() >= STOP_RATE) return
  doom = null
  const stopAtMs = chance.fraction() * Math.max(0, run.plan.calmAtMs - clock.elapsedMs())
  const begin = () => {
    isStopping = true
    void stop(run, life, courier)
  }
  clock.after(Math.floor(stopAtMs), begin, life)
}

function skewNow({ clock }: DeliveryRun, { skewMs, jump }: CourierPlan): number {
  return skewMs + (jump && clock.elapsedMs() >= jump.atMs ? jump.byMs : 0)
}

/** Stopped as an operator would, it leaves nothing behind. */
async function stop(run: DeliveryRun, life: Life, courier: Courier): Promise<void> {
  const beganMs = run.clock.elapsedMs()
  await courier.stop()
  const tookMs = run.clock.elapsedMs() - beganMs
  if (!life.alive) return
  if (isPrompt(run.plan) && tookMs < STOP_MS_MAX) {
    for (const { row } of run.book.deliveries.values()) {
      const isHeld = row.lease?.startsWith(`${life.name}.`) && row.state === 'waiting'
      if (isHeld) complain(run, `${life.name} stops and keeps ${row.id}`)
    }
    if (isAlone(run.plan)) judgeStop(run, life)
  }
  life.end('is stopped')
}

function planDoom(chance: Chance): Doom {
  const kind = chance.pick(['any', 'any', 'commit', 'committed', 'sent', 'answered'] as const)
  return { kind, steps: chance.between(1, kind === 'any' ? ANY_STEPS_MAX : FEW_STEPS_MAX) }
}
