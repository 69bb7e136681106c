import { within } from '../../core/async/within.ts'
import { openMachineSignals } from '../../ports/driver-parts/machine-signals.ts'
import type { MachineSignals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { System } from '../../ports/world.ts'
import { type EncodedMessage, encodeMessage, readFrame, writeFrames } from './signal-frame.ts'

/** Carries texts from each process to all of them; none is promised to arrive. */
export type SignalWire = {
  /** Fails when the text is lost, at once when there is no connection. */
  send(text: string): Promise<unknown>
  close(): Promise<void>
}

/** A wire tells how it is; the log has one line for an outage and one for its end. */
export type WireNotice = {
  /** `reason` is logged, so it holds no secret. */
  away(reason: string): void
  back(): void
}

type Connect = (hear: (text: string) => void, notice: WireNotice) => SignalWire

/** Messages of this time go out together: a wire is asked a few hundred times a second. */
const GATHER_MS = 2

/** A wire that does not keep up gets no more than this: messages beyond it are lost. */
const GATHERED_MAX = 1000

/** Hints that are older than this are worth nothing: the sweep has found the change. */
const SEND_MS = 5000

/** A process that ends says its last words, if that takes no time. */
const CLOSE_MS = 500

/**
 * Hints over a wire that all processes share. Listeners of this machine receive them at once, and
 * not a second time when they come back over the wire.
 */
export function openRelayedSignals(system: System, connect: Connect): MachineSignals {
  const { clock, entropy, telemetry } = system
  const notice = openNotice(telemetry)
  const sender = entropy.alphanumeric(12)
  let gathered: EncodedMessage[] = []
  let cancelGathering: (() => void) | null = null
  let sending: Promise<void> | null = null
  let closed: Promise<void> | null = null

  // Nobody waits for other machines: a wire may take seconds to notice that it is cut.
  const machine = openMachineSignals(async (topic, text, reach) => {
    if (reach === 'machine') return
    const message = encodeMessage(topic, text)
    if (!message) return lose(telemetry, 'oversized', 1)
    if (gathered.length >= GATHERED_MAX) return lose(telemetry, 'overflow', 1)
    gathered.push(message)
    cancelGathering ??= clock.after(GATHER_MS, send)
  })

  const hear = (text: string) => {
    if (closed) return
    const frame = readFrame(text)
    if (typeof frame === 'string') {
      telemetry.count('headgate_signals_ignored_total', { reason: frame })
      return
    }
    if (frame.sender === sender) return
    for (const [topic, said] of frame.messages) void machine.deliver(topic, said)
  }
  const wire = connect(hear, notice)

  const send = () => {
    cancelGathering?.()
    cancelGathering = null
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }
  const sendAll = async () => {
    while (gathered.length > 0) {
      const frames = writeFrames(sender, gathered)
      gathered = []
      await Promise.all(frames.map((frame) => sendFrame(system, wire, notice, frame)))
    }
  }
  const end = async () => {
    void machine.close()
    await within(clock, CLOSE_MS, send(), () => {})
    notice.end()
    await wire.close()
  }

  return {
    publish: machine.publish,
    subscribe: machine.subscribe,
    join: machine.join,
    close() {
      closed ??= end()
      return closed
    },
  }
}

async function sendFrame(
  { clock, telemetry }: System,
  wire: SignalWire,
  notice: WireNotice,
  frame: { text: string; messages: number },
): Promise<void> {
  try {
    const isSent = await within(
      clock,
      SEND_MS,
      wire.send(frame.text).then(() => true),
      () => false,
    )
    if (isSent) return notice.back()
    notice.away(`no answer in ${SEND_MS} ms`)
  } catch {
    // The wire has said why.
  }
  lose(telemetry, 'away', frame.messages)
}

type LossReason = 'away' | 'overflow' | 'oversized'

function lose(telemetry: Telemetry, reason: LossReason, messages: number): void {
  telemetry.count('headgate_signals_lost_total', { reason }, messages)
}

function openNotice({ log }: Telemetry): WireNotice & { end(): void } {
  let isAway = false
  let isEnded = false
  return {
    away(reason) {
      if (isAway || isEnded) return
      isAway = true
      log('warn', 'signals_away', { reason })
    },
    back() {
      if (!isAway || isEnded) return
      isAway = false
      log('info', 'signals_back', {})
    },
    end() {
      isEnded = true
    },
  }
}
