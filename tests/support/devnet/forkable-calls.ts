import { expect } from 'bun:test'
import type { DevnetReorganisation, DevnetSent, DevnetState } from '@headgate/devnet'
import { createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import type { EvmChain } from '../../../packages/devnet/src/evm/evm-chain.ts'

type Block = { hash: string }
type Receipt = { blockNumber: string; status: string; logs: unknown[] }

export const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const SECOND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** The calls of a development chain, over HTTP as everybody makes them. */
export function forkableCalls(chain: EvmChain) {
  const call = async <T>(method: string, params: unknown = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(chain.url, { method: 'POST', body })
    const { result, error } = (await answer.json()) as { result: T; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
  return {
    call,
    state: () => call<DevnetState>('headgate_state'),
    mine: (blocks: number) => call<DevnetState>('headgate_mine', [{ blocks }]),
    change: (wanted: object) => call<DevnetState>('headgate_change', [wanted]),
    drop: (height: number) => call<DevnetState>('headgate_drop', [{ height }]),
    reorganise: (wanted: Partial<DevnetReorganisation> & { depth: number }) => {
      const usual = { blocks: wanted.depth + 1, transactions: 'keep' }
      return call<DevnetState>('headgate_reorganise', [{ ...usual, ...wanted }])
    },
    sendSample: (wanted: object) => call<DevnetSent>('headgate_send', [wanted]),
    send: (from = FIRST) =>
      call<string>('eth_sendTransaction', [{ from, to: SECOND, value: '0x1' }]),
    latest: () => call<Block>('eth_getBlockByNumber', ['latest', false]),
    receiptOf: (hash: string) => call<Receipt | null>('eth_getTransactionReceipt', [hash]),

    /** Of an account whose key the chain does not have. */
    async fundedWallet() {
      const account = privateKeyToAccount(generatePrivateKey())
      const balance = `0x${parseEther('5').toString(16)}`
      await call('hardhat_setBalance', [account.address, balance])
      return createWalletClient({ account, chain: foundry, transport: http(chain.url) })
    },

    /** The blocks that are shown are those that the chain has, each the child of its parent. */
    async expectLinked(shown: DevnetState) {
      const hashes = canonical(shown)
      for (const { number, parentHash, replacedAtMs } of shown.blocks) {
        if (replacedAtMs !== null || !hashes.has(number - 1)) continue
        expect(parentHash).toBe(hashes.get(number - 1) ?? '')
        const tag = `0x${number.toString(16)}`
        const block = await call<Block>('eth_getBlockByNumber', [tag, false])
        expect(block.hash).toBe(hashes.get(number) ?? '')
      }
    },
  }
}

/** The hashes of canonical blocks by height. */
export function canonical({ blocks }: DevnetState): Map<number, string> {
  const shown = blocks.filter(({ replacedAtMs }) => replacedAtMs === null)
  return new Map(shown.map(({ number, hash }) => [number, hash]))
}
