import type { UpstreamSpend } from '../spend/upstream-spend.ts'
import type { RpcClient } from './rpc-client.ts'

/**
 * The same client, with each call counted as it leaves, whoever sends it. The members of a batch
 * are counted by who puts it together.
 */
export function countingClient(client: RpcClient, spend: UpstreamSpend): RpcClient {
  return {
    ...client,
    call(method, ...rest) {
      spend.note(method)
      return client.call(method, ...rest)
    },
  }
}
