import {
  type ExchangePace,
  type LimitExchange,
  openLimitExchange,
  paceBetweenWorkers,
} from '../../metering/limit-exchange.ts'
import { joinHub, type LimitHub, openLimitHub } from '../../metering/limit-hub.ts'
import { openUsageWriter } from '../../metering/usage-writer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { World } from '../../ports/world.ts'
import type { CallReport } from '../networks/merge-reports.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import { type Gather, openGather } from './gather.ts'
import { openObservationRelay } from './observation-relay.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages.ts'
import { openWorkerMetrics } from './worker-metrics.ts'

type Options = {
  networks: NetworkSet
  workers: number
  /** Shares limits with other machines; null where there are none. */
  outside: LimitExchange | null
}

export type WorkerHub = {
  /** A worker that is about to open; from here on it is told everything. */
  join(send: (message: ToWorker) => void): HubMember
  /** Resolves when all workers have taken the settings over, or after some seconds. */
  reload(settings: WorkerSettings, pages: readonly string[]): Promise<void>
  exposition(): Promise<string>
  reports(): Promise<CallReport[]>
  /** Writes what workers have handed over. */
  stop(): Promise<void>
}

export type HubMember = {
  receive(message: FromWorker): void
  leave(): void
}

type News = Extract<FromWorker, { kind: 'news' }>

type Throttled = Extract<FromWorker, { kind: 'throttled' }>

type Member = { send(message: ToWorker): void }

/** A worker that takes longer takes them over later. */
const RELOAD_MS_MAX = 5000

/**
 * A worker that the machine has no time for may, when it goes on, serve a call before it hears the
 * news, and show what it cached; but one that hangs must not hold up the answers of the others.
 */
const NEWS_MS_MAX = 2000

type Reported = Extract<FromWorker, { kind: 'reported' }>

type WorkerReports = {
  reports(): Promise<CallReport[]>
  reported(member: Member, message: Reported): void
  leave(member: Member): void
}

/** A worker that takes longer is left out. */
const REPORT_MS_MAX = 500

const ACCOUNTS_CHANGED = 'accounts'

export function openWorkerHub(world: World, options: Options): WorkerHub {
  const { clock } = world
  const { networks, workers, outside } = options
  const members = new Set<Member>()
  const pace = paceBetweenWorkers(workers)
  const limits = openLimitHub(world, outside, pace)
  const stopSharing = shareSpends(world, networks, limits, pace)
  const usage = openUsageWriter(world)
  const metrics = openWorkerMetrics(world, members)
  const hearing = openGather<Member>(clock, NEWS_MS_MAX)
  const reloading = openGather<Member>(clock, RELOAD_MS_MAX)
  const reporting = openWorkerReports(clock, members)
  const sendAll = (message: ToWorker) => {
    for (const member of members) member.send(message)
  }
  const observations = openObservationRelay({ clock, networks, sendAll })
  const unsubscribe = world.signals.subscribe(ACCOUNTS_CHANGED, (text) =>
    sendAll({ kind: 'signal', topic: ACCOUNTS_CHANGED, text }),
  )

  const receive = (member: Member, message: FromWorker) => {
    if (message.kind === 'usage') {
      const { batch } = message
      usage.record(batch, () => member.send({ kind: 'written', sequence: batch.sequence }))
    }
    if (message.kind === 'news') void passNews(hearing, members, member, message)
    if (message.kind === 'heard') hearing.answered(member, message.id)
    if (message.kind === 'measured') metrics.measured(member, message)
    if (message.kind === 'reloaded') reloading.answered(member, message.id)
    if (message.kind === 'reported') reporting.reported(member, message)
    if (message.kind === 'throttled') noteThrottle(networks, message)
    if (message.kind === 'poll') pollNow(networks, message.network)
  }

  return {
    join(send) {
      const member: Member = { send }
      for (const seen of observations.snapshot()) send(seen)
      const limit = limits.join((frame) => send({ kind: 'limits', frame }))
      members.add(member)
      return {
        receive: (message) =>
          message.kind === 'limits' ? limit.receive(message.frame) : receive(member, message),
        leave() {
          members.delete(member)
          limit.leave()
          for (const part of [hearing, reloading, reporting, metrics]) part.leave(member)
        },
      }
    },

    reload(settings, pages) {
      const done = reloading.ask(members, (member, id) =>
        member.send({ kind: 'settings', id, settings, pages }),
      )
      for (const seen of observations.snapshot()) sendAll(seen)
      return done
    },

    exposition: metrics.exposition,
    reports: reporting.reports,

    async stop() {
      unsubscribe()
      observations.stop()
      stopSharing()
      limits.stop()
      await usage.flush()
    },
  }
}

/** Polls and the follower's reads are this process's own, and count at vendors as calls do. */
function shareSpends(
  { clock, telemetry }: World,
  networks: NetworkSet,
  limits: LimitHub,
  pace: ExchangePace,
): () => void {
  const own = openLimitExchange(clock, telemetry, joinHub(limits), pace)
  const stopSharing = networks.spends.share(own)
  return () => {
    stopSharing()
    own.stop()
  }
}

async function passNews(
  hearing: Gather<Member>,
  members: ReadonlySet<Member>,
  from: Member,
  { id: theirs, network, news }: News,
): Promise<void> {
  const others = [...members].filter((other) => other !== from)
  await hearing.ask(others, (other, id) => other.send({ kind: 'news', id, network, news }))
  from.send({ kind: 'told', id: theirs })
}

/** The others are told with what is seen next of that upstream. */
function noteThrottle(networks: NetworkSet, { network: id, upstream, forMs }: Throttled): void {
  networkOf(networks, id)?.noteThrottled(upstream, forMs)
}

function pollNow(networks: NetworkSet, networkId: string): void {
  networkOf(networks, networkId)?.pollNow()
}

function networkOf(networks: NetworkSet, networkId: string) {
  return networks.list().find(({ network }) => network.id === networkId)
}

function openWorkerReports(clock: Clock, members: ReadonlySet<Member>): WorkerReports {
  const gather = openGather<Member>(clock, REPORT_MS_MAX)
  const latest = new Map<Member, readonly CallReport[]>()
  return {
    async reports() {
      await gather.ask(members, (member, id) => member.send({ kind: 'report', id }))
      return [...latest.values()].flat()
    },
    reported(member, { id, networks }) {
      latest.set(member, networks)
      gather.answered(member, id)
    },
    leave(member) {
      latest.delete(member)
      gather.leave(member)
    },
  }
}
