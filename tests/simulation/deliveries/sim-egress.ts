import type { Egress, EgressOutcome, EgressRequest } from '../../../src/ports/egress.ts'
import type { Life } from '../process-life.ts'
import { type DeliveryRun, type Post, wallOf } from './delivery-run.ts'
import type { HostJudge } from './judges/judge-hosts.ts'
import { judgePost } from './judges/judge-posts.ts'
import { nameOf } from './posted.ts'
import type { Reception } from './receivers.ts'

const ADDRESS = '192.0.2.1'

/** The way out of one process to the destinations of the run. */
export function simEgress(run: DeliveryRun, life: Life, hosts: HostJudge): Egress {
  return {
    vet: async () => null,
    post: (request) =>
      new Promise((resolve) => {
        if (life.alive) life.step('sent')
        // Who dies before it is sent has sent nothing.
        if (!life.alive) return
        const post = noteStart(run, life, request)
        hosts.started(post)
        judgePost(run, post, request)
        receive(run, post, request.timeoutMs, (seen) => {
          life.step('answered')
          if (!life.alive) return
          noteEnd(run, post, seen)
          hosts.ended(post)
          resolve(seen)
        })
      }),
    close() {},
  }
}

function noteStart(run: DeliveryRun, life: Life, { url, body, headers }: EgressRequest): Post {
  const { clock, book, posts, trace } = run
  const deliveryId = headers['webhook-id'] ?? ''
  const { row } = book.deliveries.get(deliveryId) ?? {}
  const post: Post = {
    life,
    deliveryId,
    webhookId: row?.webhook_id ?? '',
    kind: row?.kind ?? 'data',
    sentAs: null,
    mayBeEarlier: false,
    epoch: '',
    url,
    host: new URL(url).hostname,
    body,
    startedMs: clock.elapsedMs(),
    endedMs: null,
    startedWallMs: wallOf(run, life.name),
    endedWallMs: 0,
    seen: null,
    patience: null,
    isAccepted: false,
    isWritten: false,
  }
  posts.push(post)
  trace.note(life.name, 'posts', row ? nameOf(row) : deliveryId, post.host)
  return post
}

/** The destination goes on with what it has got, whoever still waits for its answer. */
function receive(
  run: DeliveryRun,
  post: Post,
  timeoutMs: number,
  heard: (seen: EgressOutcome) => void,
): void {
  const { clock, receivers, trace } = run
  const wall = wallOf(run, post.life.name)
  const got = receivers.receive(post.host, post.startedMs, (afterMs) => wall + afterMs)
  post.patience = got.patience
  if (got.acceptedAfterMs !== null) {
    clock.after(got.acceptedAfterMs, () => {
      post.isAccepted = true
      trace.note(post.host, 'accepts', post.deliveryId)
    })
  }
  const inTime = got.afterMs < timeoutMs
  const afterMs = inTime ? got.afterMs : timeoutMs
  const seen = inTime ? seenOf(got, afterMs) : nothingIn(timeoutMs)
  clock.after(afterMs, () => heard(seen), post.life)
}

function noteEnd(run: DeliveryRun, post: Post, seen: EgressOutcome): void {
  post.endedMs = run.clock.elapsedMs()
  post.endedWallMs = wallOf(run, post.life.name)
  post.seen = seen
  const said = seen.fault ?? seen.status
  run.trace.note(post.life.name, 'hears', post.deliveryId, said, seen.retryAfter)
}

function seenOf({ status, fault, patience }: Reception, totalMs: number): EgressOutcome {
  const asks = status === null ? null : (patience?.header ?? null)
  return {
    status,
    fault,
    retryAfter: asks,
    bodyStart: '',
    address: fault === null ? ADDRESS : null,
    ms: { lookup: 0, connect: 0, tls: 0, answer: totalMs, total: totalMs },
  }
}

function nothingIn(totalMs: number): EgressOutcome {
  const ms = { lookup: 0, connect: 0, tls: 0, answer: 0, total: totalMs }
  return { status: null, fault: 'timeout', retryAfter: null, bodyStart: '', address: ADDRESS, ms }
}
