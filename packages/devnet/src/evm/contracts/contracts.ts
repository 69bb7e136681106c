import { COLLECTION_CODE } from './code/collection-code.ts'
import { MARKET_CODE } from './code/market-code.ts'
import { POOL_CODE } from './code/pool-code.ts'
import { PROTOCOLS_CODE } from './code/protocols-code.ts'
import { ROUTER_CODE } from './code/router-code.ts'
import { TOKEN_CODE } from './code/token-code.ts'
import { VAULT_FACTORY_CODE } from './code/vault-factory-code.ts'
import { WRAPPED_ETHER_CODE } from './code/wrapped-ether-code.ts'

type Compiled = { code: string; immutables?: readonly string[] }

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
  token: TOKEN_CODE.Token.methods,
  wrappedEther: WRAPPED_ETHER_CODE.WrappedEther.methods,
  pool: POOL_CODE.Pool.methods,
  poolFactory: POOL_CODE.PoolFactory.methods,
  router: ROUTER_CODE.Router.methods,
  collection: COLLECTION_CODE.Collection.methods,
  market: MARKET_CODE.Market.methods,
  vaultFactory: VAULT_FACTORY_CODE.VaultFactory.methods,
  priceFeed: PROTOCOLS_CODE.PriceFeed.methods,
  governor: PROTOCOLS_CODE.Governor.methods,
  multisig: PROTOCOLS_CODE.Multisig.methods,
  entryPoint: PROTOCOLS_CODE.EntryPoint.methods,
  bridge: PROTOCOLS_CODE.Bridge.methods,
  lender: PROTOCOLS_CODE.Lender.methods,
  proxy: PROTOCOLS_CODE.Proxy.methods,
} as const

/** The code that creates a vault; its owner follows as one word. */
export const VAULT_CREATION = `0x${VAULT_FACTORY_CODE.Vault.creation}`

/** Code by address, for the state that the chain begins with. */
export function contractCodes(): [address: string, code: string][] {
  const { Token } = TOKEN_CODE
  const { Pool, PoolFactory } = POOL_CODE
  const token = (name: string, symbol: string, decimals: number) =>
    deployed(Token, [textWord(name), textWord(symbol), word(decimals)])
  const pool = (first: string, second: string) => deployed(Pool, [word(first), word(second)])
  const { dollar, orchard, wrappedEther } = CONTRACTS
  return [
    [dollar, token('Harbour Dollar', 'HUSD', 6)],
    [orchard, token('Orchard', 'ORCH', 18)],
    [CONTRACTS.lantern, token('Lantern', 'LAMP', 18)],
    [wrappedEther, deployed(WRAPPED_ETHER_CODE.WrappedEther)],
    [CONTRACTS.poolFactory, deployed(PoolFactory)],
    [CONTRACTS.dollarEther, pool(dollar, wrappedEther)],
    [CONTRACTS.dollarOrchard, pool(dollar, orchard)],
    [CONTRACTS.router, deployed(ROUTER_CODE.Router)],
    [CONTRACTS.collection, deployed(COLLECTION_CODE.Collection)],
    [CONTRACTS.market, deployed(MARKET_CODE.Market)],
    [CONTRACTS.vaultFactory, deployed(VAULT_FACTORY_CODE.VaultFactory)],
    [CONTRACTS.priceFeed, deployed(PROTOCOLS_CODE.PriceFeed)],
    [CONTRACTS.governor, deployed(PROTOCOLS_CODE.Governor)],
    [CONTRACTS.multisig, deployed(PROTOCOLS_CODE.Multisig)],
    [CONTRACTS.entryPoint, deployed(PROTOCOLS_CODE.EntryPoint)],
    [CONTRACTS.bridge, deployed(PROTOCOLS_CODE.Bridge)],
    [CONTRACTS.lender, deployed(PROTOCOLS_CODE.Lender)],
    [CONTRACTS.proxy, deployed(PROTOCOLS_CODE.Proxy)],
  ]
}

/** Code as its constructor would leave it: each immutable is a word in several places of it. */
function deployed({ code, immutables = [] }: Compiled, words: readonly string[] = []): string {
  let text = code
  for (const [index, places] of immutables.entries()) {
    for (const place of places.split(' ')) {
      const from = Number(place) * 2
      text = text.slice(0, from) + words[index] + text.slice(from + 64)
    }
  }
  return text
}

function word(value: number | string): string {
  return BigInt(value).toString(16).padStart(64, '0')
}

function textWord(text: string): string {
  return Buffer.from(text).toString('hex').padEnd(64, '0')
}

function at(place: string): string {
  return `0xde7${place.padStart(37, '0')}`
}
