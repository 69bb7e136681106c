import type { ApiError } from '@headgate/client'
import type { ExitReason } from '../exit-codes.ts'
import { harmlessText } from '../terminal/harmless-text.ts'
import type { HeadgateConnection } from './connection.ts'

export function failedCall(
  { status, kind, message, retryAfterS }: ApiError,
  { url, tokenFrom }: HeadgateConnection,
): { text: string; reason: ExitReason } {
  // The advice below asks the same, with an answer.
  const said = harmlessText(message).replace(/ Is it running\?$/, '')
  if (status === 0) return { text: `${said}\n${UNREACHABLE}`, reason: 'unreachable' }
  if (message.startsWith('There is no such call')) {
    return {
      text: `The Headgate at ${url} does not have this.\n${NOT_LOCAL}`,
      reason: 'failed',
    }
  }
  return { text: `${said}${adviceFor()}`, reason: 'failed' }

  function adviceFor(): string {
    // A refusal of our own has a name; anything else was said by another server.
    const isOurs = kind !== 'NoHeadgate' && kind !== 'Error'
    if (!isOurs) return ` Is it a Headgate that answers at ${url}?`
    if (status === 401) return `\n${wrongToken(url, tokenFrom)}`
    if (message.startsWith('X-Team-Id is missing')) return '\nGive its id with --team.'
    if (status === 429 && retryAfterS > 0) return `\nTry again in ${retryAfterS} s.`
    return ''
  }
}

const UNREACHABLE =
  'Is it running? `headgate start` starts one here; --url or HEADGATE_URL name another.'

const NOT_LOCAL =
  '`headgate devnet` and --inbox are for local development: a Headgate without a configuration.'

function wrongToken(url: string, tokenFrom: string): string {
  const source = `The token came from ${tokenFrom}, and ${url} does not know it.`
  if (tokenFrom.endsWith('.json')) {
    return `${source}\nIs another Headgate at this address? Give its token with HEADGATE_TOKEN.`
  }
  return `${source}\nTokens are made with \`headgate token create\`; the first ones stand in first-run.json of its data folder.`
}
