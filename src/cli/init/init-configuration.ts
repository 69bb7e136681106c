import { existsSync } from 'node:fs'
import { parseListen } from '../../config/config-checks.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import { checkUpstreams, unreachedWords } from '../start/check-configuration.ts'
import { complain } from '../terminal/complain.ts'
import { askInit } from './ask-init.ts'
import { configText } from './config-text.ts'
import { DEFAULT_ANSWERS, holdsSecrets, type InitAnswers } from './init-answers.ts'
import { planNetworks } from './plan-networks.ts'
import {
  type GivenUpstream,
  type InitUpstreams,
  readUpstream,
  readUpstreams,
} from './read-upstreams.ts'
import { alreadyThere, writeConfig } from './write-config.ts'

export type InitFlags = {
  upstream: string[]
  network: string[]
  listen?: string
  publicUrl?: string
  data?: string
  workers?: string
  database?: string
  out?: string
  force?: boolean
  yes?: boolean
  json?: boolean
}

type ProbeDrivers = ReturnType<typeof openProbeDrivers>

/** 32 bytes, as the option `secret` has them. */
const SECRET_BYTES = 32

export async function initConfiguration(flags: InitFlags): Promise<void> {
  const { out = DEFAULT_ANSWERS.out, force = false, json = false } = flags
  if (!force && existsSync(out)) return complain(alreadyThere(out), 'failed')
  const drivers = openProbeDrivers()
  const isAsking = process.stdin.isTTY === true && process.stdout.isTTY === true && !flags.yes
  const say = json ? () => {} : (line: string) => console.log(line)

  const upstreams = await upstreamsOf(drivers, flags, isAsking, say)
  const asksNetworks = isAsking && flags.network.length === 0
  const named = asksNetworks ? orStop(await askInit.networks(upstreams)) : flags.network
  const addresses = upstreams.vendors.map(({ address }) => address)
  const networks = planNetworks(addresses, upstreams.nodes, named)
  if (typeof networks === 'string') return complain(networks, 'badInput')

  const answers: InitAnswers = {
    ...(await otherAnswers(drivers, flags, isAsking)),
    vendors: upstreams.vendors.map(({ text }) => text),
    networks,
  }
  const isSecret = holdsSecrets(answers)
  const written = writeConfig(out, configText(answers), { isSecret, force })
  if ('fault' in written) return complain(written.fault, 'badInput')

  const { faults, unreached } = await checkUpstreams(written.settings)
  for (const line of [...faults, ...unreached.map(unreachedWords)]) console.error(line)
  if (faults.length > 0) return complain(`${out} is written, and wrong.`, 'badInput')
  const next = `headgate start --config ${out}`
  const ids = networks.map(({ id }) => id)
  if (json) console.log(JSON.stringify({ file: out, networks: ids, is_secret: isSecret, next }))
  if (isAsking) say('')
  const only = isSecret ? ' Only you can read it: it holds keys.' : ''
  say(`${out} is written and good, with ${ids.join(', ')}.${only}`)
  say(`Next:  ${next}`)
  process.exit(0)
}

async function upstreamsOf(
  drivers: ProbeDrivers,
  { upstream }: InitFlags,
  isAsking: boolean,
  say: (line: string) => void,
): Promise<InitUpstreams> {
  if (upstream.length === 0 && !isAsking) {
    return complain(
      '--upstream is missing: the address of a node, or a vendor’s key such as alchemy://KEY.',
      'badInput',
    )
  }
  const given = upstream.length > 0 ? upstream.map(readUpstream) : orStop(await askInit.upstreams())
  const fault = given.find((one) => typeof one === 'string')
  if (fault !== undefined) return complain(fault, 'badInput')
  return readUpstreams(drivers.clock, drivers.outbound, given as GivenUpstream[], say)
}

async function otherAnswers(
  { entropy }: ProbeDrivers,
  flags: InitFlags,
  isAsking: boolean,
): Promise<Omit<InitAnswers, 'vendors' | 'networks'>> {
  const answer = async (
    said: string | undefined,
    question: string,
    usual: string,
    faultOf: (typed: string) => string | undefined = () => undefined,
  ) => said ?? (isAsking ? orStop(await askInit.line(question, usual, faultOf)) : usual)
  const { listen, data, workers } = DEFAULT_ANSWERS
  const listenTo = await answer(flags.listen, 'Address and port to listen on', listen, (typed) =>
    parseListen(typed) ? undefined : 'It is written as host:port, such as 127.0.0.1:8080.',
  )
  const reached = 'How clients reach it, such as https://rpc.example.com (Enter: localhost)'
  const publicUrl = await answer(flags.publicUrl, reached, '', (typed) =>
    URL.canParse(typed) ? undefined : 'It is an http or https address.',
  )
  const url = flags.database ?? (isAsking ? orStop(await askInit.database()) : '')
  const secret = () => Buffer.from(entropy.bytes(SECRET_BYTES)).toString('hex')
  const cores = 'Processes that serve JSON-RPC (auto: by the cores)'
  return {
    listen: listenTo,
    publicUrl: publicUrl === '' ? null : publicUrl,
    database: url === '' || url === 'sqlite' ? null : { url, secret: secret() },
    data: await answer(flags.data, 'Folder of its data', data),
    workers: await answer(flags.workers, cores, workers),
  }
}

/** The answer, unless the person has stopped the questions. */
function orStop<T>(answer: T | null): T {
  return answer ?? complain('Nothing was written.', 'failed')
}
