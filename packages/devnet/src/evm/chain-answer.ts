type ChainError = { code: number; message: string; data?: unknown }

/** The code that go-ethereum gives a reverted call. */
const EXECUTION_REVERTED = 3

const METHOD_NOT_FOUND = -32601

/** EDR's code for a method it does not have. */
const METHOD_NOT_SUPPORTED = -32004

/** Error(string), the bytes behind `require(false, "…")`. */
const ERROR_SELECTOR = '0x08c379a0'
const WORD_CHARS = 64

/**
 * The chain's answer as a JSON-RPC reply. EDR leaves out version and id, and words some errors
 * in its own way; clients (viem, ethers, web3.js) were made for go-ethereum's.
 */
export function chainAnswer(idText: string, method: string, text: string): string {
  // A result is passed on as it is: it may be large, and no digit of it is our business.
  if (text.startsWith('{"result":')) return `{"jsonrpc":"2.0","id":${idText},${text.slice(1)}`

  const { error } = JSON.parse(text) as { error: ChainError }
  return errorAnswer(idText, asGethSays(method, error))
}

export function errorAnswer(idText: string, error: ChainError): string {
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(error)}}`
}

function asGethSays(method: string, { code, message, data }: ChainError): ChainError {
  const revertBytes = revertBytesIn(data)
  if (revertBytes !== null) {
    const reason = revertReason(revertBytes)
    const said = reason === null ? 'execution reverted' : `execution reverted: ${reason}`
    return { code: EXECUTION_REVERTED, message: said, data: revertBytes }
  }

  if (code === METHOD_NOT_SUPPORTED && message === `Method ${method} is not supported`) {
    const said = `the method ${method} does not exist/is not available`
    return { code: METHOD_NOT_FOUND, message: said }
  }

  // EDR sends the request back beside a complaint about it, which no node does.
  if (data === null || data === undefined || isObjectWith(data, 'jsonrpc')) return { code, message }

  return { code, message, data }
}

/** EDR: `{reason: {Revert: "0x…"}, data: "0x…", transactionHash}`; other reasons are no reverts. */
function revertBytesIn(data: unknown): string | null {
  if (!isObjectWith(data, 'reason') || !isObjectWith(data.reason, 'Revert')) return null
  const bytes = data.reason.Revert
  return typeof bytes === 'string' ? bytes : null
}

function revertReason(revertBytes: string): string | null {
  if (!revertBytes.startsWith(ERROR_SELECTOR)) return null
  const lengthAt = ERROR_SELECTOR.length + WORD_CHARS
  const textAt = lengthAt + WORD_CHARS
  const bytes = Number.parseInt(revertBytes.slice(lengthAt, textAt), 16)
  if (Number.isNaN(bytes) || revertBytes.length < textAt + bytes * 2) return null
  return Buffer.from(revertBytes.slice(textAt, textAt + bytes * 2), 'hex').toString('utf8')
}

function isObjectWith<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === 'object' && value !== null && key in value
}
