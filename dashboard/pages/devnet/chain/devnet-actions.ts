import type { BodyOf, Devnet } from '@headgate/client'
import { callApi } from '../../../api/call-api.ts'
import { patchAnswers } from '../../../api/use-call.ts'
import { plural, whole } from '../../../parts/text/format.ts'
import { attempt, say } from '../../../shell/toasts.tsx'

/** As deep as the service replaces blocks. */
export const DEPTH_MAX = 32

export function mine(): Promise<void> {
  const asked = callApi('mineDevnetBlocks', { body: { blocks: 1 } })
  return act(asked, ({ head }) => `Mined block ${whole(head.number)}`)
}

export function reorganise(depth: number, transactions: 'keep' | 'drop'): Promise<void> {
  return act(callApi('reorganiseDevnet', { body: { depth, transactions } }), ({ head }) => {
    const blocks = `${plural(depth, 'block')} from ${whole(head.number - depth)} on`
    return `Reorganised: ${blocks} ${depth === 1 ? 'was' : 'were'} replaced`
  })
}

export function drop(height: number): Promise<void> {
  const asked = callApi('dropDevnetBlocks', { body: { height } })
  return act(asked, ({ head }) => `The head is block ${whole(head.number)} again`)
}

export function hold(isHeld: boolean): Promise<void> {
  const said = isHeld ? 'Mining by time is held' : 'Mining by time goes on'
  return act(callApi('changeDevnet', { body: { is_held: isHeld } }), () => said)
}

export function changeChain(body: BodyOf<'changeDevnet'>): Promise<void> {
  return act(callApi('changeDevnet', { body }), (chain) => {
    const traffic = plural(chain.transactions_per_block, 'transaction')
    return `A block every ${chain.block_time_ms / 1000} s, with ${traffic} of traffic`
  })
}

function act(asked: Promise<{ data: Devnet }>, said: (chain: Devnet) => string): Promise<void> {
  return attempt(async () => {
    const { data } = await asked
    showChain(data)
    say(said(data))
  })
}

export function showChain(chain: Devnet): void {
  patchAnswers('getDevnet', () => ({ data: chain }))
}
