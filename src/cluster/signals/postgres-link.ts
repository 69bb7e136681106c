import { SQL } from 'bun'
import { within } from '../../core/async/within.ts'
import { errorText, Failure } from '../../core/errors.ts'
import type { System } from '../../ports/world.ts'
import { KEEPALIVE_SETTINGS } from '../postgres/session-settings.ts'
import type { Link } from './linked-wire.ts'

/** All processes on one database share a channel: other databases do not hear it. */
const CHANNEL = 'headgate'

/** A server that is cut off closes nothing: we call ourselves, and must hear it. */
const CALL_EVERY_MS = 2000
const HEAR_MS = 3000

const CONNECT_MS = 5000

/** The other processes listen at the server that accepts writes. */
const READ_ONLY = 'the server is read-only'

/** Listens on a connection that no pooler shares out, and notifies on it. */
export async function openPostgresLink(
  { clock, entropy }: System,
  url: string,
  hear: (text: string) => void,
): Promise<Link> {
  const ended = Promise.withResolvers<string>()
  const client = new SQL(url, {
    max: 1,
    idleTimeout: 0,
    connectionTimeout: CONNECT_MS / 1000,
    connection: { application_name: 'headgate signals', ...KEEPALIVE_SETTINGS },
    onclose: (error) => ended.resolve(error ? errorText(error) : 'closed'),
  })
  const ownChannel = `${CHANNEL}_${entropy.alphanumeric(16)}`
  let heardOurselves = () => {}
  const call = async () => {
    const heard = new Promise<boolean>((resolve) => {
      heardOurselves = () => resolve(true)
    })
    client.notify(ownChannel, '').catch(() => {})
    isReadOnly(client).then(
      (is) => is && ended.resolve(READ_ONLY),
      () => {},
    )
    if (!(await within(clock, HEAR_MS, heard, () => false))) ended.resolve('no answer')
  }
  const stopCalling = clock.every(CALL_EVERY_MS, () => void call())
  const close = async () => {
    ended.resolve('closed')
    stopCalling()
    await client.close({ timeout: 0 })
  }
  const listening = Promise.all([
    client.listen(CHANNEL, hear),
    client.listen(ownChannel, () => heardOurselves()),
    isReadOnly(client),
  ]).then(([, , isStandby]) => (isStandby ? READ_ONLY : null))
  try {
    const reason = await within(clock, CONNECT_MS, listening, () => 'no answer')
    if (reason !== null) throw new Failure('signals_unavailable', { reason })
  } catch (thrown) {
    await close()
    throw thrown
  }
  return { send: (text) => client.notify(CHANNEL, text), ended: ended.promise, close }
}

async function isReadOnly(client: SQL): Promise<boolean> {
  const [row] = await client`SHOW transaction_read_only`
  return row?.transaction_read_only === 'on'
}
