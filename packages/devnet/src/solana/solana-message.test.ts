import { describe, expect, test } from 'bun:test'
import { Keypair, PublicKey, Transaction } from '@solana/web3.js'
import { decodeBase58, PROGRAMS } from './solana-account.ts'
import { TEST_WALLETS, walletTokenAddress } from './solana-genesis.ts'
import { keyPairOf, signedTransaction, transfer } from './solana-message.ts'

const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

describe('keys made from phrases', () => {
  test('are those that the library of Solana makes from the same seed', () => {
    for (const { seed, key } of TEST_WALLETS) {
      expect(Keypair.fromSeed(seed).publicKey.toBytes()).toEqual(key)
    }
  })

  test('the wallets are always the same', () => {
    const first = new PublicKey(TEST_WALLETS[0]!.key).toBase58()
    expect(first).toBe(new PublicKey(keyPairOf('headgate devnet wallet 0').key).toBase58())
    expect(TEST_WALLETS).toHaveLength(5)
  })
})

describe('a signed transaction', () => {
  test('is read and verified by the library of Solana', () => {
    const [payer, from, to] = [keyPairOf('a'), keyPairOf('b'), keyPairOf('c')]
    const blockhash = keyPairOf('d').key
    const steps = [transfer(from.key, to.key, 5n), transfer(payer.key, to.key, 2n ** 60n)]
    const read = Transaction.from(signedTransaction([payer, from], blockhash, steps))
    expect(read.verifySignatures()).toBe(true)
    expect(read.feePayer?.toBytes()).toEqual(payer.key)
    expect(read.recentBlockhash).toBe(new PublicKey(blockhash).toBase58())
    expect(read.instructions).toHaveLength(2)
    expect(read.instructions[0]?.keys).toEqual([
      { pubkey: new PublicKey(from.key), isSigner: true, isWritable: true },
      { pubkey: new PublicKey(to.key), isSigner: false, isWritable: true },
    ])
  })
})

describe('the address of a wallet’s tokens', () => {
  test('is the one that the library of Solana derives, for many wallets', () => {
    const token = decodeBase58(PROGRAMS.token)
    for (let round = 0; round < 40; round++) {
      const [wallet, mint] = [keyPairOf(`wallet ${round}`).key, keyPairOf(`mint ${round}`).key]
      const seeds = [wallet, token, mint]
      const [expected] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED)
      const derived = walletTokenAddress(wallet, { program: PROGRAMS.token, key: mint })
      expect(derived).toEqual(expected.toBytes())
    }
  })
})
