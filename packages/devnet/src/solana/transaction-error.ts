export type TransactionError = { name: string; json: unknown; words: string }

/** The words of a node for what is met most; other errors are told by their name. */
const WORDS: Readonly<Record<string, string>> = {
  AccountInUse: 'Account in use',
  AccountLoadedTwice: 'Account loaded twice',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
}

/** As the machine writes it: a name, and behind it a place, or an instruction and its error. */
const ERROR =
  /\berr: (\w+)(?:\((\d+)(?:, (\w+)(?:\((\d+)\))?)?[^)]*\)| \{ account_index: (\d+) \})?/

/** The end of a program's last log line. */
const PROGRAM_FAILED = /^Program \w+ failed: (.*)$/

export function namedError(name: string): TransactionError {
  return { name, json: name, words: WORDS[name] ?? name }
}

export function readError(text: string, logs: readonly string[]): TransactionError {
  const [, name = 'SanitizeFailure', place, inner, code, accountIndex] = ERROR.exec(text) ?? []
  if (inner !== undefined) {
    const words = PROGRAM_FAILED.exec(logs.at(-1) ?? '')?.[1] ?? inner
    return {
      name,
      json: { [name]: [Number(place), code === undefined ? inner : { [inner]: Number(code) }] },
      words: `Error processing Instruction ${place}: ${words}`,
    }
  }
  if (accountIndex !== undefined) {
    const rent = `an account (${accountIndex}) with insufficient funds for rent`
    const words = name === 'InsufficientFundsForRent' ? `Transaction results in ${rent}` : name
    return { name, json: { [name]: { account_index: Number(accountIndex) } }, words }
  }
  if (place !== undefined) return { name, json: { [name]: Number(place) }, words: name }
  return namedError(name)
}
