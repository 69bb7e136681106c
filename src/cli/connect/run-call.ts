import { ApiError, type Client, createClient } from '@headgate/client'
import type { Clock } from '../../ports/clock.ts'
import { terminalClock } from '../../wiring/terminal-clock.ts'
import { complain } from '../terminal/complain.ts'
import { readExactJson, readShownJson } from '../terminal/exact-json.ts'
import { openTerminal, type Terminal } from '../terminal/terminal.ts'
import {
  type CallerKind,
  type ConnectionOptions,
  findConnection,
  type HeadgateConnection,
} from './connection.ts'
import { failedCall } from './failed-call.ts'

export type Calling = {
  /** Its answers keep all digits; where people read them, their texts are harmless. */
  client: Client
  terminal: Terminal
  clock: Clock
  connection: HeadgateConnection
}

export async function runCall(
  options: ConnectionOptions,
  work: (calling: Calling) => Promise<void>,
  caller: CallerKind = 'team',
): Promise<void> {
  const connection = findConnection(options, caller)
  if (typeof connection === 'string') return complain(connection, 'badInput')
  const terminal = openTerminal(options)
  const readJson = terminal.isJson ? readExactJson : readShownJson
  const client = createClient({ ...connection, readJson })
  try {
    await work({ client, terminal, clock: terminalClock(), connection })
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown
    terminal.progress(null)
    const { text, reason } = failedCall(thrown, connection)
    complain(text, reason)
  }
}
