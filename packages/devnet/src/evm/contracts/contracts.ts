import collectionFile from '../../../contracts/Collection.json' with { type: 'json' }
import marketFile from '../../../contracts/Market.json' with { type: 'json' }
import poolFile from '../../../contracts/Pool.json' with { type: 'json' }
import protocolsFile from '../../../contracts/Protocols.json' with { type: 'json' }
import routerFile from '../../../contracts/Router.json' with { type: 'json' }
import tokenFile from '../../../contracts/Token.json' with { type: 'json' }
import vaultFactoryFile from '../../../contracts/VaultFactory.json' with { type: 'json' }
import wrappedEtherFile from '../../../contracts/WrappedEther.json' with { type: 'json' }
import { word } from './encode-call.ts'

/** Each immutable with the bytes of the code where it stands. */
type Compiled = { code: string; immutables: readonly (readonly number[])[] }

/** The addresses of the contracts that are there from the first block on. */
export const CONTRACTS = {
  dollar: at('01'),
  orchard: at('02'),
  lantern: at('03'),
  wrappedEther: at('04'),
  poolFactory: at('10'),
  dollarEther: at('11'),
  dollarOrchard: at('12'),
  router: at('1f'),
  collection: at('21'),
  market: at('22'),
  vaultFactory: at('31'),
  priceFeed: at('41'),
  governor: at('42'),
  multisig: at('43'),
  entryPoint: at('44'),
  bridge: at('45'),
  lender: at('46'),
  proxy: at('47'),
} as const

/** The selectors of the contracts' methods. */
export const METHODS = {
  token: tokenFile.Token.methods,
  wrappedEther: wrappedEtherFile.WrappedEther.methods,
  pool: poolFile.Pool.methods,
  poolFactory: poolFile.PoolFactory.methods,
  router: routerFile.Router.methods,
  collection: collectionFile.Collection.methods,
  market: marketFile.Market.methods,
  vaultFactory: vaultFactoryFile.VaultFactory.methods,
  priceFeed: protocolsFile.PriceFeed.methods,
  governor: protocolsFile.Governor.methods,
  multisig: protocolsFile.Multisig.methods,
  entryPoint: protocolsFile.EntryPoint.methods,
  bridge: protocolsFile.Bridge.methods,
  lender: protocolsFile.Lender.methods,
  proxy: protocolsFile.Proxy.methods,
} as const

/** The code that creates a vault; its owner follows as one word. */
export const VAULT_CREATION = `0x${vaultFactoryFile.Vault.creation}`

/** Code by address, for the state that the chain begins with. */
export function contractCodes(): [address: string, code: string][] {
  const { Token } = tokenFile
  const { Pool, PoolFactory } = poolFile
  const token = (name: string, symbol: string, decimals: number) =>
    deployed(Token, [textWord(name), textWord(symbol), word(decimals)])
  const pool = (first: string, second: string) => deployed(Pool, [word(first), word(second)])
  const { dollar, orchard, wrappedEther } = CONTRACTS
  return [
    [dollar, token('Harbour Dollar', 'HUSD', 6)],
    [orchard, token('Orchard', 'ORCH', 18)],
    [CONTRACTS.lantern, token('Lantern', 'LAMP', 18)],
    [wrappedEther, deployed(wrappedEtherFile.WrappedEther)],
    [CONTRACTS.poolFactory, deployed(PoolFactory)],
    [CONTRACTS.dollarEther, pool(dollar, wrappedEther)],
    [CONTRACTS.dollarOrchard, pool(dollar, orchard)],
    [CONTRACTS.router, deployed(routerFile.Router)],
    [CONTRACTS.collection, deployed(collectionFile.Collection)],
    [CONTRACTS.market, deployed(marketFile.Market)],
    [CONTRACTS.vaultFactory, deployed(vaultFactoryFile.VaultFactory)],
    [CONTRACTS.priceFeed, deployed(protocolsFile.PriceFeed)],
    [CONTRACTS.governor, deployed(protocolsFile.Governor)],
    [CONTRACTS.multisig, deployed(protocolsFile.Multisig)],
    [CONTRACTS.entryPoint, deployed(protocolsFile.EntryPoint)],
    [CONTRACTS.bridge, deployed(protocolsFile.Bridge)],
    [CONTRACTS.lender, deployed(protocolsFile.Lender)],
    [CONTRACTS.proxy, deployed(protocolsFile.Proxy)],
  ]
}

/** Code as its constructor would leave it: each immutable is a word in several places of it. */
function deployed({ code, immutables }: Compiled, words: readonly string[] = []): string {
  let text = code
  for (const [index, places] of immutables.entries()) {
    for (const place of places) {
      const from = place * 2
      text = text.slice(0, from) + words[index] + text.slice(from + 64)
    }
  }
  return text
}

function textWord(text: string): string {
  return Buffer.from(text).toString('hex').padEnd(64, '0')
}

function at(place: string): string {
  return `0xde7${place.padStart(37, '0')}`
}
