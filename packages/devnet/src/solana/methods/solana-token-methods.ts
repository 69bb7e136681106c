import { type Account, type Commitment, isTokenProgram } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  amountOf,
  delegateOf,
  heldAmount,
  mintFacts,
  mintOf,
  ownerOf,
  shownAmount,
  type TokenState,
  tokenState,
} from './parsed-token.ts'
import { answeredAccount, decimalsAt, formOf } from './solana-account-form.ts'
import {
  configOf,
  inContext,
  invalidParams,
  type MethodTable,
  momentOf,
  type Params,
  readKey,
} from './solana-method.ts'

/** As many as a node lists. */
const LARGEST_MAX = 20

export const TOKEN_METHODS: MethodTable = {
  getTokenAccountBalance: { min: 1, max: 2, answer: getTokenAccountBalance },
  getTokenSupply: { min: 1, max: 2, answer: getTokenSupply },
  getTokenLargestAccounts: { min: 1, max: 2, answer: getTokenLargestAccounts },
  getTokenAccountsByDelegate: {
    min: 2,
    max: 3,
    answer: (chain, params) => accountsOf(chain, params, delegateOf),
  },
  getTokenAccountsByOwner: {
    min: 2,
    max: 3,
    answer: (chain, params) => accountsOf(chain, params, ownerOf),
  },
}

/** The balance of a token account; null when the account is none, or its mint is gone. */
export function tokenHolding(chain: SolanaChain, commitment: Commitment, account: Account | null) {
  const state = account && isTokenProgram(account.owner) ? tokenState(account.data) : null
  if (state?.kind !== 'account') return null
  const amount = heldAmount(state, decimalsAt(chain, commitment))
  return amount && { mint: mintOf(state), owner: ownerOf(state), amount }
}

function getTokenAccountBalance(chain: SolanaChain, [key, config]: Params) {
  const { commitment, slot } = momentOf(chain, config)
  const account = chain.accounts.at(readKey(key), commitment)
  if (account === null) throw invalidParams('Invalid param: could not find account')
  const holding = tokenHolding(chain, commitment, account)
  if (holding === null) throw invalidParams('Invalid param: not a Token account')
  return inContext(slot, holding.amount)
}

function getTokenSupply(chain: SolanaChain, [key, config]: Params) {
  const { commitment, slot } = momentOf(chain, config)
  const { supply, decimals } = mintFacts(mintAt(chain, commitment, key).state)
  return inContext(slot, shownAmount(supply, decimals))
}

function getTokenLargestAccounts(chain: SolanaChain, [key, config]: Params) {
  const { commitment, slot } = momentOf(chain, config)
  const { account: mint, state } = mintAt(chain, commitment, key)
  const { decimals } = mintFacts(state)
  const holders = holdersOf(chain, commitment, mint.owner)
    .filter((holder) => mintOf(holder.state) === mint.pubkey)
    .map(({ account, state: held }) => ({ address: account.pubkey, amount: amountOf(held) }))
  // Sorting keeps the order of equals, which is that of their keys.
  holders.sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
  return inContext(
    slot,
    holders
      .slice(0, LARGEST_MAX)
      .map(({ address, amount }) => ({ address, ...shownAmount(amount, decimals) })),
  )
}

function accountsOf(
  chain: SolanaChain,
  [holderKey, wanted, given]: Params,
  holder: (state: TokenState) => string | null,
) {
  const key = readKey(holderKey)
  const { commitment, slot } = momentOf(chain, given)
  const { program, mint } = readWanted(chain, commitment, wanted)
  const form = formOf(configOf(given), 'binary')
  const found = holdersOf(chain, commitment, program).filter(({ state }) => {
    return holder(state) === key && (mint === null || mintOf(state) === mint)
  })
  return inContext(
    slot,
    found.map(({ account }) => ({
      account: answeredAccount(chain, commitment, account, form),
      pubkey: account.pubkey,
    })),
  )
}

/** `{"mint": …}` or `{"programId": …}`. */
function readWanted(chain: SolanaChain, commitment: Commitment, given: unknown) {
  const { mint, programId } = configOf(given)
  if (mint !== undefined) {
    const { account } = mintAt(chain, commitment, mint)
    return { program: account.owner, mint: account.pubkey }
  }
  const program = readKey(programId)
  if (isTokenProgram(program)) return { program, mint: null }
  throw invalidParams('Invalid param: unrecognized Token program id')
}

function holdersOf(chain: SolanaChain, commitment: Commitment, program: string) {
  return chain.accounts.ofProgram(program, commitment).flatMap((account) => {
    const state = tokenState(account.data)
    return state?.kind === 'account' ? [{ account, state }] : []
  })
}

function mintAt(chain: SolanaChain, commitment: Commitment, key: unknown) {
  const account = chain.accounts.at(readKey(key), commitment)
  if (account === null) throw invalidParams('Invalid param: could not find mint')
  const state = isTokenProgram(account.owner) ? tokenState(account.data) : null
  if (state?.kind !== 'mint') throw invalidParams('Invalid param: not a Token mint')
  return { account, state }
}
