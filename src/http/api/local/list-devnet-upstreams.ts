import { Rejection } from '../../../core/errors.ts'
import type { Handler } from '../calls/handler.ts'
import { type LocalCallNeeds, localParts } from './local-parts.ts'

/** Far enough that Headgate prefers others, and near enough to be seen catching up. */
const LAG_BLOCKS = 5

export const listDevnetUpstreams: Handler<'listDevnetUpstreams', LocalCallNeeds> = async (needs) =>
  answered(await localParts(needs).devnet.nodes())

export const changeDevnetUpstream: Handler<'changeDevnetUpstream', LocalCallNeeds> = async (
  needs,
  { parameters: { name }, body: { behaviour, blocks } },
) => {
  if (blocks !== undefined && behaviour !== 'lag') {
    return new Rejection('validation', 'blocks goes with the behaviour lag only.')
  }
  const { devnet } = localParts(needs)
  const nodes = await devnet.nodes()
  if (nodes instanceof Rejection) return nodes
  if (!nodes.some((node) => node.name === name)) {
    const names = nodes.map((node) => node.name).join(', ')
    return new Rejection('not_found', `There is no such upstream; there are ${names}.`)
  }
  const behind = behaviour === 'lag' ? (blocks ?? LAG_BLOCKS) : 0
  return answered(await devnet.changeNode(name, { behaviour, blocks: behind }))
}

export const stallDevnet: Handler<'stallDevnet', LocalCallNeeds> = async (needs, { body }) =>
  answered(await localParts(needs).devnet.stall(body.seconds * 1000))

function answered<T>(nodes: readonly T[] | Rejection) {
  return nodes instanceof Rejection ? nodes : { data: [...nodes] }
}
