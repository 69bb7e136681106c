import { openBloomBits } from '../../core/chain/logs-bloom.ts'
import { proveBlock } from '../../core/chain/proof/prove-block.ts'
import { serveThreadCalls } from '../../ports/driver-parts/thread-calls.ts'
import type { ProverFunctions } from './block-prover.ts'

declare const self: Worker

const bloomBits = openBloomBits()

serveThreadCalls(self, {
  prove: (text) => proveBlock(JSON.parse(text), bloomBits),
} satisfies ProverFunctions)
