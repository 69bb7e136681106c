import { expect, test } from 'bun:test'
import { systemClock } from './clock.ts'
import { openEvmControl } from './devnet-control.ts'
import { startEvmChain } from './evm/evm-chain.ts'

const refuse = (reason: string, message: string) => ({ reason, message })

test('a chain that has ended is said to be silent, and one that lives answers', async () => {
  const chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
  const post = (url: string, body: string) =>
    fetch(url, { method: 'POST', body }).then(
      (answer) => answer.text(),
      () => null,
    )
  const control = openEvmControl({ post, refuse }, chain.url, 'ETH_DEVNET', ['a'])
  expect(await control.mine(2)).toMatchObject({ head: { number: 2 } })
  expect(await control.nodes()).toEqual([{ name: 'a', behaviour: 'honest', blocks: 0 }])
  const refused = await control.reorganise({ depth: 3, blocks: 4, transactions: 'keep' })
  expect(refused).toMatchObject({ reason: 'refused' })

  await chain.stop()
  expect(await control.state()).toMatchObject({ reason: 'silent' })
})

test('a chain that mines many blocks is waited for longer than for other commands', async () => {
  const waits: number[] = []
  const post = async (_url: string, _body: string, answerMsMax: number) => {
    waits.push(answerMsMax)
    return null
  }
  const control = openEvmControl({ post, refuse }, 'http://127.0.0.1:1', 'ETH_DEVNET', [])
  await control.state()
  await control.mine(100)
  const [ordinary = 0, hundred = 0] = waits
  // A full block of traffic takes up to a second.
  expect(hundred - ordinary).toBe(100_000)
})
