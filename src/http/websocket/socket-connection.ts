import { Rejection } from '../../core/errors.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { ReaderWatch } from '../../gateway/reader-watch.ts'
import {
  type ConnectionSubscriptions,
  openConnectionSubscriptions,
  type SubscriptionNeeds,
} from '../../gateway/subscriptions/connection-subscriptions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { type AnswerSender, openAnswerSender } from './answer-sender.ts'
import { CLOSE_CODES, type CloseReason, closeText } from './close-reason.ts'
import { type FrameQueue, openFrameQueue } from './frame-queue.ts'
import { type FrameFlusher, type Outgoing, openOutgoing } from './outgoing.ts'
import { type Frame, type FrameNeeds, readFrame, refuseFrame, serveFrame } from './serve-frame.ts'
import type { ServerSocketListener } from './socket-handlers.ts'

export type ConnectionNeeds = FrameNeeds &
  SubscriptionNeeds & {
    flusher: FrameFlusher
    readers: ReaderWatch
    notified(network: string, notification: string): void
    /** A bug of ours ended a frame. */
    bug(thrown: unknown): void
  }

export type SocketConnection = {
  listener: ServerSocketListener
  /** As they were looked up last, like the network. */
  caller: Caller
  service: NetworkService
  counts: { frames: number; notifications: number }
  subscriptionCount(): number
  close(reason: CloseReason, text: string): void
  /** Answers what is under way, then closes. */
  drain(reason: CloseReason, text: string): Promise<void>
}

type Client = Pick<SocketConnection, 'caller' | 'service'> & {
  /** By `callerName`. */
  name: string
  /** Called once, when the socket is closed. */
  ended(reason: CloseReason): void
}

type State = Pick<SocketConnection, 'caller' | 'service' | 'counts'> & {
  needs: ConnectionNeeds
  client: Client
  outgoing: Outgoing
  subscriptions: ConnectionSubscriptions
  sender: AnswerSender
  queue: FrameQueue
  /** Our reason to close it; null while there is none. */
  endedBy: CloseReason | null
  isClosed: boolean
  isDraining: boolean
  cancelTermination(): void
}

/** While more waits for a client, it has to read before anything else is run for it. */
const RUN_BYTES_MAX = 256 * 1024

/** A client that takes nothing after its close is given this long. */
const CLOSE_MS_MAX = 10_000

const SLOW = 'The connection reads too slowly: too much waits for it.'
const NOT_JSON = 'Binary frames must contain JSON encoded as UTF-8.'
const CROWDED = 'Too many calls wait on this connection; please wait for their answers.'

export function openSocketConnection(needs: ConnectionNeeds, client: Client): SocketConnection {
  const state = newState(needs, client)
  const close = (reason: CloseReason, text: string) => closeFor(state, reason, text)
  return Object.assign(state, {
    listener: listenerOf(state),
    subscriptionCount: () => state.subscriptions.size,
    close,
    async drain(reason: CloseReason, text: string) {
      state.isDraining = true
      await state.queue.idle()
      close(reason, text)
    },
  })
}

function newState(needs: ConnectionNeeds, client: Client): State {
  const { caller, service } = client
  const outgoing = openOutgoing(needs.flusher, () => state.queue.wake())
  const state: State = {
    needs,
    client,
    caller,
    service,
    counts: { frames: 0, notifications: 0 },
    outgoing,
    subscriptions: openConnectionSubscriptions(needs, {
      who: () => state,
      notify: (notification, text, bytes) => notify(state, notification, text, bytes),
      spent: ({ message }) => closeFor(state, 'capacity', message),
      lost: (reason) => closeFor(state, 'subscription_lost', reason),
    }),
    sender: openAnswerSender({
      outgoing,
      answers: needs.answers,
      readers: needs.readers,
      callerName: client.name,
      isOver: () => isOver(state),
      slow: () => slow(state),
    }),
    queue: openFrameQueue({
      methods: () => state.service.methods,
      mayRun: () => outgoing.waitingBytes() < RUN_BYTES_MAX,
      run: (frame) => run(state, frame),
    }),
    endedBy: null,
    isClosed: false,
    isDraining: false,
    cancelTermination: () => {},
  }
  return state
}

function listenerOf(state: State): ServerSocketListener {
  const { outgoing, queue, sender, client } = state
  return {
    opened: outgoing.opened,
    received(message) {
      if (isOver(state) || state.isDraining) return
      const frame = readFrame(state.needs, message)
      if (frame === null) return closeFor(state, 'binary_frame', NOT_JSON)
      state.counts.frames++
      if (!queue.add(frame)) refuse(state, frame)
    },
    drained() {
      outgoing.noteDrain()
      sender.noteDrain()
      queue.wake()
    },
    closed() {
      state.isClosed = true
      state.cancelTermination()
      queue.close()
      state.subscriptions.closeAll()
      outgoing.terminate()
      client.ended(state.endedBy ?? 'client')
    },
  }
}

function isOver({ endedBy, isClosed }: State): boolean {
  return endedBy !== null || isClosed
}

function closeFor(state: State, reason: CloseReason, text: string): void {
  if (isOver(state)) return
  const { needs, outgoing, queue, subscriptions } = state
  state.endedBy = reason
  queue.close()
  subscriptions.closeAll()
  outgoing.close(CLOSE_CODES[reason], closeText(text))
  state.cancelTermination = needs.clock.after(CLOSE_MS_MAX, outgoing.terminate)
}

function slow(state: State): void {
  closeFor(state, 'slow_reader', SLOW)
}

function notify(state: State, notification: string, text: string, bytes: number): void {
  state.counts.notifications++
  state.needs.notified(state.service.network.id, notification)
  if (!state.outgoing.send(text, bytes)) slow(state)
}

async function run(state: State, frame: Frame): Promise<void> {
  const { needs, sender, caller, service, client } = state
  const subscriptions = state.subscriptions.openFrame()
  const source = { caller, service, name: client.name, subscriptions }
  try {
    const served = await serveFrame(needs, source, frame)
    await sender.send(served, subscriptions.answered)
  } catch (bug) {
    needs.bug(bug)
    closeFor(state, 'bug', 'Internal error.')
  }
}

function refuse(state: State, frame: Frame): void {
  const { needs, sender, caller, service, client } = state
  const subscriptions = state.subscriptions.openFrame()
  const source = { caller, service, name: client.name, subscriptions }
  const served = refuseFrame(needs, source, frame, new Rejection('overloaded', CROWDED))
  void sender.send(served, () => {})
}
