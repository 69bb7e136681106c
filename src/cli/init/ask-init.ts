import * as prompts from '@clack/prompts'
import { KNOWN_NETWORKS } from '../../config/vendors/known-networks.ts'
import { networksServed } from '../../config/vendors/vendor-address.ts'
import { type GivenUpstream, type InitUpstreams, readUpstream } from './read-upstreams.ts'

/** Asks what the flags have not said. Each resolves with null when the person has had enough. */
export const askInit = { upstreams, networks, database, line }

/** More addresses than anybody types. */
const UPSTREAMS_MAX = 64

const HELP = 'http://10.0.0.5:8545, or a vendor’s key: alchemy://KEY, infura://KEY, …'

/** Addresses may be keys, so they are masked as they are typed. */
async function upstreams(): Promise<GivenUpstream[] | null> {
  const given: GivenUpstream[] = []
  while (given.length < UPSTREAMS_MAX) {
    const isFirst = given.length === 0
    const text = await prompts.password({
      message: isFirst ? `Your first upstream (${HELP})` : 'Another upstream, or Enter to go on',
      validate: (typed) => {
        if (!typed) return isFirst ? 'Headgate needs at least one.' : undefined
        const read = readUpstream(typed)
        return typeof read === 'string' ? read : undefined
      },
    })
    if (prompts.isCancel(text)) return null
    const read = text ? readUpstream(text) : null
    if (read === null || typeof read === 'string') return given
    given.push(read)
  }
  return given
}

/** A node says its chain by itself; a vendor serves many, and bills the polls of each. */
async function networks({ vendors, nodes }: InitUpstreams): Promise<string[] | null> {
  const served = new Set(vendors.flatMap(({ address }) => networksServed(address)))
  if (served.size > 0) {
    const options = [...served].map((value) => ({ value, label: value, ...hint(value) }))
    const message = 'Which networks? (Vendors bill the polls of each.)'
    const chosen = await prompts.multiselect({ message, options, required: nodes.length === 0 })
    return prompts.isCancel(chosen) ? null : chosen
  }
  if (nodes.every(({ chain }) => chain !== null)) return []
  const options = Object.keys(KNOWN_NETWORKS).map((value) => ({ value, ...hint(value) }))
  const chosen = await prompts.select({ message: 'Which network is that node on?', options })
  return prompts.isCancel(chosen) ? null : [chosen]
}

function hint(id: string): { hint: string } | object {
  const { chainId } = KNOWN_NETWORKS[id] ?? {}
  return chainId === undefined ? {} : { hint: `chain ${chainId}` }
}

/** The empty text: the embedded store. */
async function database(): Promise<string | null> {
  const store = await prompts.select({
    message: 'Where is its store?',
    options: [
      { value: 'sqlite', label: 'SQLite', hint: 'one machine, nothing to install' },
      { value: 'postgres', label: 'PostgreSQL', hint: 'a server of yours; many machines' },
    ],
  })
  if (prompts.isCancel(store)) return null
  if (store === 'sqlite') return ''
  const text = await prompts.password({
    message: 'The address, as postgres://user:password@host/database',
    validate: (typed) =>
      typed && /^postgres(ql)?:\/\//.test(typed) ? undefined : 'It begins with postgres://',
  })
  return prompts.isCancel(text) ? null : text
}

async function line(
  message: string,
  defaultValue: string,
  faultOf: (typed: string) => string | undefined,
): Promise<string | null> {
  const text = await prompts.text({
    message,
    defaultValue,
    placeholder: defaultValue,
    validate: (typed) => (typed ? faultOf(typed) : undefined),
  })
  return prompts.isCancel(text) ? null : text
}
