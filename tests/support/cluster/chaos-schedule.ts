import type { Chance } from '../basics/seeded-chance.ts'
import type { NatsTestServer } from '../nats/nats-server.ts'
import type { ChaosStage } from './chaos-stage.ts'
import type { Member } from './cluster.ts'

/** Something was away from then until then. */
export type Trouble = { sinceMs: number; untilMs: number }

/** All that was done to the cluster, for those who judge what came of it. */
export type ChaosRecord = {
  /** By process; a kill's ends when it is up again. */
  troubles: Map<Member, Trouble[]>
  kills: { member: Member; atMs: number }[]
  database: Trouble[]
  counts: Map<string, number>
}

/** Null when its target is struck already. */
type Blow = () => Promise<void> | null

/** Longer than the lease of a courier with its timeout of a second, and of a follower. */
const SLEEP_MS = { courier: [6500, 9000], follower: [10_500, 13_000], other: [1000, 4000] } as const

const DOWN_MS = [0, 1500] as const
const STOPPED_MS = [200, 3000] as const
const CUT_MS = [1000, 9000] as const
const GAP_MS = [200, 2500] as const

/** A process that ended because its database went away during the start is started again. */
const STARTS_MAX = 20

/** Strikes the cluster, blow after blow and some at the same time, until it is over. */
export function openChaos(stage: ChaosStage, chance: Chance) {
  const record: ChaosRecord = { troubles: new Map(), kills: [], database: [], counts: new Map() }
  const blows = [
    ...blowsToMembers(stage, chance, record),
    ...blowsToDatabase(stage, chance, record),
    ...(stage.nats ? [blowToNats(stage.nats, chance, record)] : []),
  ]
  const striking = new Set<Promise<void>>()

  return {
    record,
    /** Each blow at least once, in an order of chance, and then on until `isOver`. */
    async strikeUntil(isOver: () => boolean): Promise<void> {
      const firsts = shuffled(chance, blows)
      while (firsts.length > 0 || !isOver()) {
        const first = firsts.pop()
        const blow = first ?? chance.pick(blows)
        const struck = blow()
        if (struck) {
          const noted = struck.finally(() => striking.delete(noted))
          striking.add(noted)
        } else if (first) firsts.unshift(first)
        await Promise.race([wait(chance, GAP_MS), failedOf(striking)])
      }
      await Promise.all(striking)
    },
  }
}

function blowsToMembers({ cluster }: ChaosStage, chance: Chance, record: ChaosRecord): Blow[] {
  const struck = new Set<Member>()
  const strike = (kind: 'kill' | 'sleep', role: string) => {
    const member = chance.pick(cluster.members.filter((one) => one.roles.join() === role))
    if (struck.has(member)) return null
    struck.add(member)
    count(record, `${kind} ${role}`)
    const troubles = record.troubles.get(member) ?? []
    record.troubles.set(member, troubles)
    const work = () => (kind === 'kill' ? kill(record, chance, member) : sleep(chance, member))
    return during(troubles, work).finally(() => struck.delete(member))
  }
  return ['gateway', 'follower', 'courier'].flatMap((role) => [
    () => strike('kill', role),
    () => strike('sleep', role),
  ])
}

function blowsToDatabase(
  { server, relay }: ChaosStage,
  chance: Chance,
  record: ChaosRecord,
): Blow[] {
  let isStruck = false
  const strike = (name: string, work: () => Promise<void>) => {
    if (isStruck) return null
    isStruck = true
    count(record, name)
    return during(record.database, work).finally(() => {
      isStruck = false
    })
  }
  const stop = async () => {
    await server.stop('SIGQUIT')
    await wait(chance, STOPPED_MS)
    await server.start()
  }
  const cut = async () => {
    relay.cut()
    await wait(chance, CUT_MS)
    relay.mend()
  }
  return [
    () => strike('database stopped', stop),
    () => strike('database cut off', cut),
    () => strike('connections reset', async () => relay.reset()),
  ]
}

function blowToNats(nats: NatsTestServer, chance: Chance, record: ChaosRecord): Blow {
  let isStruck = false
  const restart = async () => {
    await nats.stop('SIGKILL')
    await wait(chance, STOPPED_MS)
    await nats.start()
    isStruck = false
  }
  return () => {
    if (isStruck) return null
    isStruck = true
    count(record, 'nats killed')
    return restart()
  }
}

async function during(troubles: Trouble[], work: () => Promise<void>): Promise<void> {
  const trouble: Trouble = { sinceMs: Date.now(), untilMs: Number.POSITIVE_INFINITY }
  troubles.push(trouble)
  await work()
  trouble.untilMs = Date.now()
}

function count({ counts }: ChaosRecord, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function wait(chance: Chance, [low, high]: readonly [number, number]): Promise<void> {
  return Bun.sleep(chance.between(low, high))
}

/** Rejects with the first of them that does. */
function failedOf(all: ReadonlySet<Promise<void>>): Promise<never> {
  return new Promise((_, reject) => {
    for (const one of all) one.catch(reject)
  })
}

async function kill(record: ChaosRecord, chance: Chance, member: Member): Promise<void> {
  record.kills.push({ member, atMs: Date.now() })
  await member.kill()
  await wait(chance, DOWN_MS)
  for (let starts = 1; ; starts++) {
    try {
      await member.start()
      return
    } catch (thrown) {
      if (starts === STARTS_MAX) throw thrown
      count(record, 'start failed')
    }
  }
}

async function sleep(chance: Chance, member: Member): Promise<void> {
  const [role] = member.roles
  const isLeased = role === 'courier' || role === 'follower'
  member.signal('SIGSTOP')
  await wait(chance, isLeased ? SLEEP_MS[role] : SLEEP_MS.other)
  member.signal('SIGCONT')
}

function shuffled<T>(chance: Chance, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: chance.fraction() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
