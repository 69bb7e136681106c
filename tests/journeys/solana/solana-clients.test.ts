import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  fetchMint,
  fetchToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { TEST_WALLETS } from '../../../packages/devnet/src/solana/solana-genesis.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { closeSocketOf } from '../../support/solana/solana-listeners.ts'

setDefaultTimeout(180_000)

/** Short, so that transactions do not wait long; the ledger is as real as with a longer one. */
const SLOT_TIME_MS = 50
const SOL = 1_000_000_000n
const MINT_BYTES = 82n

let headgate: TestHeadgate
let url: string
let wsUrl: string

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_SLOT_TIME_MS: String(SLOT_TIME_MS) } })
  url = `${headgate.url}/solana-devnet/v2/${headgate.appKey}`
  wsUrl = url.replace('http:', 'ws:')
})

afterAll(() => headgate.stop())

describe('@solana/kit', () => {
  const connect = () => {
    const rpc = createSolanaRpc(url)
    const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl)
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
    return { rpc, rpcSubscriptions, sendAndConfirm }
  }

  const signed = async (payer: KeyPairSigner, instructions: readonly Instruction[]) => {
    const { value } = await connect().rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const transaction = await pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(value, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
      (message) => signTransactionMessageWithSigners(message),
    )
    assertIsTransactionWithBlockhashLifetime(transaction)
    return transaction
  }

  const send = async (payer: KeyPairSigner, instructions: readonly Instruction[]) => {
    const transaction = await signed(payer, instructions)
    await connect().sendAndConfirm(transaction, { commitment: 'confirmed' })
    return getSignatureFromTransaction(transaction)
  }

  /** Somebody new with ten SOL of the faucet. */
  const newcomer = async () => {
    const { rpc } = connect()
    const signer = await generateKeyPairSigner()
    await rpc.requestAirdrop(signer.address, lamports(10n * SOL)).send()
    await until(async () => {
      const { value } = await rpc.getBalance(signer.address, { commitment: 'confirmed' }).send()
      return value === 10n * SOL
    }, 'the airdrop is confirmed')
    return signer
  }

  test('reads the ledger', async () => {
    const { rpc } = connect()
    expect(await rpc.getHealth().send()).toBe('ok')
    const genesis = await rpc.getGenesisHash().send()
    expect(genesis).toHaveLength(44)
    const { epoch, absoluteSlot } = await rpc.getEpochInfo({ commitment: 'processed' }).send()
    expect(epoch).toBe(1031n)
    await until(async () => (await rpc.getSlot().send()) > absoluteSlot, 'slots go by')
  })

  test('gets an airdrop and pays somebody with it', async () => {
    const { rpc } = connect()
    const [payer, to] = [await newcomer(), await generateKeyPairSigner()]
    const transfer = { source: payer, destination: to.address, amount: 3n * SOL }
    const signature = await send(payer, [getTransferSolInstruction(transfer)])
    const commitment = 'confirmed'
    expect((await rpc.getBalance(to.address, { commitment }).send()).value).toBe(lamports(3n * SOL))
    const found = await rpc
      .getTransaction(signature, {
        commitment,
        maxSupportedTransactionVersion: 0,
        encoding: 'json',
      })
      .send()
    expect(found?.meta).toMatchObject({ err: null, fee: 5_000n })
  })

  test('makes a mint, mints, and reads both back through its own decoders', async () => {
    const { rpc } = connect()
    const [payer, mint] = [await newcomer(), await generateKeyPairSigner()]
    const rent = await rpc.getMinimumBalanceForRentExemption(MINT_BYTES).send()
    const ata = await getCreateAssociatedTokenIdempotentInstructionAsync({
      payer,
      owner: payer.address,
      mint: mint.address,
    })
    const [token] = await findAssociatedTokenPda({
      owner: payer.address,
      mint: mint.address,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    })
    const amount = 2n ** 63n + 1n
    await send(payer, [
      getCreateAccountInstruction({
        payer,
        newAccount: mint,
        lamports: rent,
        space: MINT_BYTES,
        programAddress: TOKEN_PROGRAM_ADDRESS,
      }),
      getInitializeMint2Instruction({
        mint: mint.address,
        decimals: 2,
        mintAuthority: payer.address,
      }),
      ata,
      getMintToInstruction({ mint: mint.address, token, mintAuthority: payer, amount }),
    ])

    const commitment = 'confirmed'
    const made = await fetchMint(rpc, mint.address, { commitment })
    expect(made.data).toMatchObject({ supply: amount, decimals: 2 })
    expect((await fetchToken(rpc, token, { commitment })).data.amount).toBe(amount)
    const { value } = await rpc.getTokenAccountBalance(token, { commitment }).send()
    expect(value.amount).toBe(`${amount}` as typeof value.amount)
    const { value: owned } = await rpc
      .getTokenAccountsByOwner(
        payer.address,
        { mint: mint.address },
        { commitment, encoding: 'jsonParsed' },
      )
      .send()
    expect(owned.map(({ pubkey }) => pubkey)).toEqual([token])
  })

  test('a wallet of the beginning has its tokens', async () => {
    const { rpc } = connect()
    const wallet = await createKeyPairSignerFromPrivateKeyBytes(TEST_WALLETS[1]!.seed)
    const { value } = await rpc
      .getTokenAccountsByOwner(
        wallet.address,
        { programId: TOKEN_PROGRAM_ADDRESS },
        { encoding: 'jsonParsed' },
      )
      .send()
    expect(value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe('1000000' as never)
  })

  test('hears of an account when it changes', async () => {
    const payer = await newcomer()
    const stop = new AbortController()
    const { rpcSubscriptions } = connect()
    const news = await rpcSubscriptions
      .accountNotifications(payer.address as Address, { commitment: 'confirmed' })
      .subscribe({ abortSignal: stop.signal })
    // The library drops what comes before somebody waits for it.
    const first = news[Symbol.asyncIterator]().next()
    const to = await generateKeyPairSigner()
    const transfer = { source: payer, destination: to.address, amount: SOL }
    await send(payer, [getTransferSolInstruction(transfer)])
    expect((await first).value?.value.lamports).toBe(lamports(9n * SOL - 5_000n))
    stop.abort()
  })

  test('is told in the words of a node why a transaction would fail', async () => {
    const payer = await newcomer()
    const to = await generateKeyPairSigner()
    const transfer = { source: payer, destination: to.address, amount: 100n * SOL }
    const sending = send(payer, [getTransferSolInstruction(transfer)])
    await expect(sending).rejects.toThrow('Transaction simulation failed')
  })
})

describe('@solana/web3.js', () => {
  const connections: Connection[] = []
  const connect = () => {
    const connection = new Connection(url, { wsEndpoint: wsUrl, commitment: 'confirmed' })
    connections.push(connection)
    return connection
  }

  afterAll(() => connections.forEach(closeSocketOf))

  /** Somebody new with ten SOL of the faucet, which is waited for over the socket. */
  const newcomer = async (connection: Connection) => {
    const wallet = Keypair.generate()
    const signature = await connection.requestAirdrop(wallet.publicKey, Number(10n * SOL))
    const latest = await connection.getLatestBlockhash()
    const { value } = await connection.confirmTransaction({ signature, ...latest })
    expect(value.err).toBeNull()
    return wallet
  }

  test('gets an airdrop, pays somebody and finds the transaction', async () => {
    const connection = connect()
    const [payer, to] = [await newcomer(connection), Keypair.generate().publicKey]
    const transfer = { fromPubkey: payer.publicKey, toPubkey: to, lamports: 5 * Number(SOL) }
    const transaction = new Transaction().add(SystemProgram.transfer(transfer))
    const signature = await connection.sendTransaction(transaction, [payer])
    await connection.confirmTransaction(signature)
    expect(await connection.getBalance(to)).toBe(5 * Number(SOL))
    const options = { maxSupportedTransactionVersion: 0 }
    const found = await connection.getTransaction(signature, options)
    expect(found?.meta).toMatchObject({ err: null, fee: 5_000 })
    const parsed = await connection.getParsedTransaction(signature, options)
    expect(parsed?.transaction.message.accountKeys[0]?.pubkey.toBase58()).toBe(
      payer.publicKey.toBase58(),
    )
    expect((await connection.getSignatureStatus(signature)).value?.err).toBeNull()
  })

  test('reads accounts, alone and by their program, and hears of changes', async () => {
    const connection = connect()
    const program = new PublicKey(TOKEN_PROGRAM_ADDRESS)
    const accounts = await connection.getParsedProgramAccounts(program, {
      commitment: 'confirmed',
      filters: [{ dataSize: 165 }],
    })
    expect(accounts.length).toBeGreaterThanOrEqual(5)
    const keys = accounts.map(({ pubkey }) => pubkey)
    const several = await connection.getMultipleAccountsInfo(keys)
    expect(several.every((one) => one?.owner.equals(program))).toBe(true)

    const wallet = Keypair.generate().publicKey
    const heard = new Promise<number>((resolve) => {
      const id = connection.onAccountChange(wallet, (account) => {
        void connection.removeAccountChangeListener(id)
        resolve(account.lamports)
      })
    })
    const slots = new Promise<number>((resolve) => {
      const id = connection.onSlotChange(({ slot }) => {
        void connection.removeSlotChangeListener(id)
        resolve(slot)
      })
    })
    // By then the socket is open and has said what it wants to hear.
    expect(await slots).toBeGreaterThan(0)
    await connection.requestAirdrop(wallet, Number(SOL))
    expect(await heard).toBe(Number(SOL))
  })
})
