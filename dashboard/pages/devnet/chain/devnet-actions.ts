import { callApi } from '../../../api/call-api.ts'
import { patchAnswers } from '../../../api/use-call.ts'
import type { AnswerOf, BodyOf, WireDevnet } from '../../../api/wire.ts'
import { plural, whole } from '../../../parts/text/format.ts'
import { attempt, say } from '../../../shell/toasts.tsx'

/** As deep as the service replaces blocks. */
export const DEPTH_MAX = 32

export function mine(): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('mineDevnetBlocks', { body: { blocks: 1 } })
    show(data)
    say(`Mined block ${whole(data.head.number)}`)
  })
}

export function reorganise(depth: number, transactions: 'keep' | 'drop'): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('reorganiseDevnet', { body: { depth, transactions } })
    show(data)
    const first = data.head.number - depth
    const blocks = `${plural(depth, 'block')} from ${whole(first)} on`
    say(`Reorganised: ${blocks} ${depth === 1 ? 'was' : 'were'} replaced`)
  })
}

export function drop(height: number): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('dropDevnetBlocks', { body: { height } })
    show(data)
    say(`The head is block ${whole(data.head.number)} again`)
  })
}

export function hold(isHeld: boolean): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('changeDevnet', { body: { is_held: isHeld } })
    show(data)
    say(isHeld ? 'Mining by time is held' : 'Mining by time goes on')
  })
}

export function changeChain(body: BodyOf<'changeDevnet'>): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('changeDevnet', { body })
    show(data)
    const traffic = plural(data.transactions_per_block, 'transaction')
    say(`A block every ${data.block_time_ms / 1000} s, with ${traffic} of traffic`)
  })
}

/** Throws the refusal, for the form to say. */
export async function send(
  body: BodyOf<'sendDevnetTransaction'>,
): Promise<AnswerOf<'sendDevnetTransaction'>['data']> {
  const { data } = await callApi('sendDevnetTransaction', { body })
  show(data.devnet)
  return data
}

function show(chain: WireDevnet): void {
  patchAnswers('getDevnet', () => ({ data: chain }))
}
