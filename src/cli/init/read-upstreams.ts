import {
  parseVendorAddress,
  type VendorAddress,
  vendorMeant,
} from '../../config/vendors/vendor-address.ts'
import { VENDORS } from '../../config/vendors/vendors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { chainOfNode, type NodeChain } from '../nodes/chain-of-node.ts'
import type { OwnNode } from './init-answers.ts'
import { hostOf } from './plan-networks.ts'

export type GivenUpstream =
  | { kind: 'vendor'; text: string; address: VendorAddress }
  | { kind: 'node'; url: string }

export type InitUpstreams = {
  vendors: { text: string; address: VendorAddress }[]
  nodes: OwnNode[]
}

/** Reads an address; a sentence, with nothing of it, where it stands for nothing. */
export function readUpstream(text: string): GivenUpstream | string {
  const address = parseVendorAddress(text)
  if (typeof address === 'string') return `An upstream ${address}.`
  if (address) return { kind: 'vendor', text, address }
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return { kind: 'node', url: text }
  const meant = vendorMeant(text)
  const forms = Object.values(VENDORS).map(({ form }) => form)
  return meant
    ? `That upstream is no address. Did you mean ${meant}://?`
    : `An upstream is the http address of a node, or one of ${forms.join(', ')}.`
}

export async function readUpstreams(
  clock: Clock,
  outbound: Outbound,
  given: readonly GivenUpstream[],
  heard: (line: string) => void,
): Promise<InitUpstreams> {
  const vendors = given.filter((one) => one.kind === 'vendor')
  const own = given.filter((one) => one.kind === 'node')
  const nodes = await Promise.all(
    own.map(async ({ url }, at): Promise<OwnNode> => {
      const said = await chainOfNode(clock, outbound, url)
      heard(chainWords(hostOf(url), said))
      return { name: `node-${at + 1}`, url, chain: typeof said === 'string' ? null : said }
    }),
  )
  return { vendors, nodes }
}

function chainWords(host: string, said: NodeChain | string): string {
  if (typeof said === 'string') return `${host} did not say which chain it is on (${said}).`
  const chain = said.kind === 'evm' ? `chain ${said.chainId}` : `genesis ${said.genesisHash}`
  return `${host} is on ${chain}${said.known === null ? '' : `, ${said.known}`}.`
}
