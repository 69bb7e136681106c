import type { Courier } from '../../../src/courier/courier.ts'
import type { RecordedEvent } from '../../../src/tables/chain/chain-events.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import { beginLife, type Doom, type Life } from '../process-life.ts'
import { NO_FAULTS, type SimStore } from '../sim-store.ts'
import { type DeliveryRun, isPrompt } from './delivery-run.ts'
import { judgeRestart, judgeStop } from './judges/judge-restart.ts'
import type { CourierPlan } from './plan-deliveries.ts'
import { startCourier } from './sim-courier.ts'
import type { SimSignals } from './sim-signals.ts'

type Needs = {
  run: DeliveryRun
  /** Those who have processes of their own. */
  plans: readonly CourierPlan[]
  chance: Chance
  store: SimStore
  signals: SimSignals
}

export type Couriers = {
  /** An event brought something; one of them hears it within its own process. */
  remind(event: RecordedEvent): void
  living(): Life[]
  /** Nobody is to start or to stop any more. */
  isSettled(): boolean
  /** Ends them all, without letting them finish anything. */
  end(): void
}

type Supervised = Needs & {
  living: Map<Life, Courier | null>
  crashes: { left: number }
  /** How many are to start or to stop. */
  restless: { count: number }
}

const ANY_STEPS_MAX = 400
const FEW_STEPS_MAX = 25
const STOP_RATE = 0.25
const STOP_MS_MAX = 8_000
const UNHEARD_RATE = 0.1
const OTHER_HEARER_RATE = 0.3

/** Starts the couriers, crashes them and starts them again. */
export function superviseCouriers(needs: Needs): Couriers {
  const { run, plans } = needs
  const living = new Map<Life, Courier | null>()
  const crashes = { left: run.plan.crashesMax }
  const restless = { count: plans.length }
  const supervised = { ...needs, living, crashes, restless }
  for (const plan of plans) {
    run.clock.after(plan.startAtMs, () => startOver(supervised, plan))
    haunt(run, plan, () => [...living.keys()])
  }
  return {
    remind(event) {
      const life = hearerOf([...living.keys()], needs.chance)
      const courier = life && living.get(life)
      if (!life || !courier) return
      if (life.wakesAtMs <= run.clock.elapsedMs()) courier.remind(event)
      else run.clock.after(0, () => courier.remind(event), life)
    },
    living: () => [...living.keys()],
    isSettled: () => restless.count === 0,
    end() {
      run.overMs = run.clock.elapsedMs()
      for (const life of [...living.keys()]) {
        living.delete(life)
        life.end('the run is over')
      }
    },
  }
}

/** Mostly the same one, as whoever follows the chain has a lease; or it has died right then. */
function hearerOf(living: readonly Life[], chance: Chance): Life | undefined {
  const dice = chance.fraction()
  if (dice < UNHEARD_RATE || living.length === 0) return undefined
  return dice < OTHER_HEARER_RATE ? chance.pick(living) : living[0]
}

/** What befalls the machine of a courier: its clock is set, and it stands still. */
export function haunt(run: DeliveryRun, plan: CourierPlan, living: () => readonly Life[]): void {
  const { clock, trace, couriers } = run
  if (plan.jump) clock.after(plan.jump.atMs, () => setClocks(run, plan))
  for (const { atMs, forMs, isSuspended } of plan.sleeps) {
    clock.after(atMs, () => {
      const life = living().find(({ name }) => isOf(plan, name))
      const courier = life && couriers.get(life.name)
      if (!courier || life.wakesAtMs > clock.elapsedMs()) return
      trace.note(life.name, 'sleeps for', forMs, isSuspended ? 'with its machine' : '')
      life.wakesAtMs = clock.elapsedMs() + forMs
      courier.sleptMs += forMs
      if (isSuspended) courier.suspendedMs += forMs
    })
  }
}

/** Of all that ever ran on that machine; the dead do not notice. */
function setClocks(run: DeliveryRun, plan: CourierPlan): void {
  run.trace.note(plan.name, 'has its clock set by', plan.jump?.byMs ?? 0)
  for (const [name, courier] of run.couriers) {
    if (isOf(plan, name)) courier.skewMs = skewNow(run, plan)
  }
}

/** Lives are called after their plan, with a number. */
function isOf({ name }: CourierPlan, life: string): boolean {
  return life.replace(/\d+$/, '') === name
}

/** Notes that a life has a courier, before it starts. */
export function enroll(run: DeliveryRun, { name }: Life, plan: CourierPlan): void {
  const courier = run.plan.keepsNames ? plan.name : name
  run.couriers.set(name, { courier, skewMs: skewNow(run, plan), sleptMs: 0, suspendedMs: 0 })
}

function startOver(supervised: Supervised, plan: CourierPlan, starts = 1): void {
  const { run, chance, store, signals, living, crashes, restless } = supervised
  restless.count--
  const { clock, trace } = run
  const isCalm = () => clock.elapsedMs() >= run.plan.calmAtMs
  const mayComeBack = () => plan.leavesAtMs === null || clock.elapsedMs() < plan.leavesAtMs
  if (!mayComeBack()) return
  const name = `${plan.name}${starts}`
  let isStopping = false
  let doom = crashes.left > 0 && !isCalm() ? planDoom(chance) : null
  if (doom) crashes.left--
  const life = beginLife(
    name,
    () => (isCalm() ? null : doom),
    (why) => {
      trace.note(name, why)
      // Ended from outside, it is not to come back.
      if (!living.delete(life)) return
      if (isStopping) restless.count--
      restless.count++
      clock.after(Math.floor(chance.fraction() ** 2 * run.plan.downMsMax), () =>
        startOver(supervised, plan, starts + 1),
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
  enroll(run, life, plan)
  const courier = startCourier(run, life, database, signals, chance)
  if (!life.alive) return
  living.set(life, courier)
  judgeRestart(run, life, () => isStopping)
  const stopAt = (atMs: number) => {
    const begin = () => {
      if (isStopping) return
      isStopping = true
      restless.count++
      void stopCourier(run, life, courier).then(() => life.end('is stopped'))
    }
    clock.after(Math.max(0, Math.floor(atMs - clock.elapsedMs())), begin, life)
  }
  if (plan.leavesAtMs !== null) stopAt(plan.leavesAtMs)
  if (!doom || chance.fraction() >= STOP_RATE) return
  doom = null
  const leftMs = Math.max(0, run.plan.calmAtMs - clock.elapsedMs())
  stopAt(clock.elapsedMs() + chance.fraction() * leftMs)
}

function skewNow({ clock }: DeliveryRun, { skewMs, jump }: CourierPlan): number {
  return skewMs + (jump && clock.elapsedMs() >= jump.atMs ? jump.byMs : 0)
}

/** Stopped as an operator would, it leaves nothing behind. */
export async function stopCourier(run: DeliveryRun, life: Life, courier: Courier): Promise<void> {
  const beganMs = run.clock.elapsedMs()
  const { sleptMs = 0 } = run.couriers.get(life.name) ?? {}
  await courier.stop()
  const tookMs = run.clock.elapsedMs() - beganMs
  if (!life.alive) return
  const hasSlept = run.couriers.get(life.name)?.sleptMs !== sleptMs
  if (isPrompt(run.plan) && tookMs < STOP_MS_MAX && !hasSlept) judgeStop(run, life)
}

function planDoom(chance: Chance): Doom {
  const kind = chance.pick(['any', 'any', 'commit', 'committed', 'sent', 'answered'] as const)
  return { kind, steps: chance.between(1, kind === 'any' ? ANY_STEPS_MAX : FEW_STEPS_MAX) }
}
