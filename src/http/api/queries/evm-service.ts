import { Rejection } from '../../../core/errors.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { ManagementApi } from '../management-api.ts'

/** The EVM network of that id, or a refusal that says which there are. */
export function evmService(api: ManagementApi, id: string): NetworkService | Rejection {
  const services = api.services()
  const service = services.find(({ network }) => network.id === id)
  if (service?.network.kind === 'evm') return service

  const evm = services.filter(({ network }) => network.kind === 'evm')
  const possible = evm.map(({ network }) => network.id).join(', ') || 'none'
  const fault = service ? 'is not an EVM network' : 'is not configured here'
  return new Rejection('validation', `network: ${id} ${fault}; possible are: ${possible}.`)
}
