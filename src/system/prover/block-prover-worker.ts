import { openBloomBits } from '../../core/chain/logs-bloom.ts'
import { proveBlock } from '../../core/chain/proof/prove-block.ts'
import type { ProofReply, ProofRequest } from './block-prover.ts'

declare const self: Worker

const bloomBits = openBloomBits()

self.onmessage = ({ data: { id, text } }: MessageEvent<ProofRequest>) => {
  const reply: ProofReply = { id, proof: proveBlock(JSON.parse(text), bloomBits) }
  self.postMessage(reply)
}
