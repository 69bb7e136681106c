import type { Connection } from '../../../src/system/http1/connector.ts'

/** A connection that goes nowhere; the test plays the other side. */
export type FakeConnection = Connection & {
  isSending: boolean
  state: 'open' | 'ended' | 'terminated'
  /** The messages that were sent, as text. */
  sent: string[]
  isPaused: boolean
  /** Says something from the other side, in one piece for each text. */
  say(...texts: string[]): void
  /** The other side closes it, or tears it down. */
  close(isBroken?: boolean): void
}

export function fakeConnection(): FakeConnection {
  const connection: FakeConnection = {
    remoteAddress: null,
    isSending: false,
    owner: null,
    memo: { text: '', head: null },
    state: 'open',
    sent: [],
    isPaused: false,
    send({ content }) {
      connection.sent.push(content.toString())
    },
    pause() {
      connection.isPaused = true
    },
    resume() {
      connection.isPaused = false
    },
    end: () => leave('ended'),
    terminate: () => leave('terminated'),
    say(...texts) {
      for (const text of texts) {
        if (connection.state !== 'open') return
        if (!connection.owner) return leave('terminated')
        connection.owner.received(connection, Buffer.from(text))
      }
    },
    close(isBroken = false) {
      if (connection.state !== 'open') return
      const { owner } = connection
      leave('ended')
      owner?.closed(connection, isBroken)
    },
  }
  const leave = (state: FakeConnection['state']) => {
    connection.owner = null
    connection.state = state
  }
  return connection
}
