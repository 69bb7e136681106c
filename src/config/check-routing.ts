import { fieldName, type JsonPath } from '../core/json/json-value.ts'
import { matchesMethod } from '../core/rpc/method-access.ts'
import { methodRows } from '../core/rpc/method-table.ts'
import type { SchemaFault } from '../core/schema/check-schema.ts'
import type { NetworkValues } from './config-network-schema.ts'

/** Checks what a network says about where its calls go: relays, broadcasts, quorums. */
export function checkRouting(network: NetworkValues, path: JsonPath): SchemaFault[] {
  const { upstreams, kind, broadcast } = network
  const readers = upstreams.filter(({ sendsOnly }) => !sendsOnly).length
  return [
    ...(readers === 0
      ? fault([...path, 'upstreams'], 'must have one that is not sendsOnly, for reads and heads')
      : []),
    ...upstreams.flatMap(({ sendsOnly, ws }, at) =>
      sendsOnly && ws !== undefined
        ? fault([...path, 'upstreams', at, 'ws'], 'is of no use with sendsOnly')
        : [],
    ),
    ...(kind === 'solana' && broadcast > 1
      ? fault([...path, 'broadcast'], 'is only for evm networks')
      : []),
    ...checkQuorum(network, readers, [...path, 'quorum']),
  ]
}

export function fault(path: JsonPath, said: string): SchemaFault[] {
  return [{ path: [...path], message: `${fieldName(path)} ${said}` }]
}

function checkQuorum(
  { quorum, kind }: NetworkValues,
  readers: number,
  path: JsonPath,
): SchemaFault[] {
  if (quorum === undefined) return []
  const { methods, of, agree } = quorum
  if (of > readers) return fault([...path, 'of'], `is more than the ${readers} upstreams for reads`)
  if (agree > of) return fault([...path, 'agree'], `must be at most of, which is ${of}`)
  if (agree * 2 <= of) return fault([...path, 'agree'], `must be more than half of ${of}`)
  return methods.flatMap((method, at) => {
    const row = methodRows(kind).find(({ name }) => matchesMethod([name], method))
    const isOfTheMoment = row?.depends === 'head' || row?.safety !== undefined
    if (method.endsWith('*') || !isOfTheMoment) return []
    const said = `must not have ${method}: honest nodes answer it differently, or it is no read`
    return fault([...path, 'methods', at], said)
  })
}
