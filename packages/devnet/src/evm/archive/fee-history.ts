import { assert } from '../../assert.ts'
import { quantity } from '../fork/raw-chain.ts'
import type { ArchivedBlocks, ArchivedReceipt } from './archived-blocks.ts'

type Blocks = Pick<ArchivedBlocks, 'block' | 'receiptsText'>

/** The transactions of a block, the stingiest first. */
type Payments = readonly { tipWei: bigint; gas: bigint }[]

/** The fees of these blocks, as `eth_feeHistory` has them but for the next block's. */
export function feeHistory(
  blocks: Blocks,
  oldest: number,
  newest: number,
  percentiles: readonly number[] | null,
) {
  const baseFeePerGas: string[] = []
  const gasUsedRatio: number[] = []
  const reward: string[][] = []
  for (let number = oldest; number <= newest; number++) {
    const block = blocks.block(number)
    assert(block !== null, 'all blocks between the lowest and the head are there')
    const feeText = String(block.baseFeePerGas)
    baseFeePerGas.push(feeText)
    gasUsedRatio.push(Number(block.gasUsed) / Number(block.gasLimit))
    if (percentiles === null) continue
    reward.push(rewards(paymentsIn(blocks, number, BigInt(feeText)), percentiles))
  }
  const told = { oldestBlock: quantity(oldest), baseFeePerGas, gasUsedRatio }
  return percentiles === null ? told : { ...told, reward }
}

function paymentsIn(blocks: Blocks, number: number, baseFeeWei: bigint): Payments {
  const receipts: ArchivedReceipt[] = JSON.parse(blocks.receiptsText(number) || '[]')
  return receipts
    .map(({ effectiveGasPrice, gasUsed }) => ({
      tipWei: BigInt(String(effectiveGasPrice)) - baseFeeWei,
      gas: BigInt(String(gasUsed)),
    }))
    .sort((one, other) => (one.tipWei < other.tipWei ? -1 : 1))
}

function rewards(payments: Payments, percentiles: readonly number[]): string[] {
  const gasUsed = payments.reduce((sum, { gas }) => sum + gas, 0n)
  return percentiles.map((percentile) => {
    const wanted = Math.floor((Number(gasUsed) * percentile) / 100)
    let reached = 0
    const payment = payments.find(({ gas }) => {
      reached += Number(gas)
      return reached >= wanted
    })
    return quantity(payment?.tipWei ?? payments.at(-1)?.tipWei ?? 0n)
  })
}
