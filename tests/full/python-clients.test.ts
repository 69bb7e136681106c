import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenApi } from '../../src/http/contract/open-api-document.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'
import { findPythonPackages, SCRIPTS } from './python-packages.ts'

const BLOCKS_WATCHED = 3

const packages = await findPythonPackages()
const missing = 'missing' in packages ? packages.missing : null
const bin = 'missing' in packages ? '' : packages.bin

if (missing !== null) console.warn(`Tests of Python clients are skipped: ${missing}.`)

describe.skipIf(missing !== null)('Python clients', () => {
  let headgate: TestHeadgate
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headgate-python-client-'))
    const env = {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '500',
      HEADGATE_DEVNET_TRANSACTIONS_PER_BLOCK: '5',
    }
    headgate = await startHeadgate({ env })
  })

  afterAll(async () => {
    await headgate.stop()
    rmSync(folder, { recursive: true, force: true })
    if (!('missing' in packages)) packages.remove()
  })

  test('openapi-python-client generates every call, and its code works', async () => {
    const document = await (await fetch(`${headgate.url}/api/openapi.json`)).text()
    writeFileSync(join(folder, 'openapi.json'), document)
    const words = 'generate --fail-on-warning --path openapi.json --output-path client'
    await python(['openapi-python-client', ...words.split(' ')])

    const { url, teamToken } = headgate
    const script = join(SCRIPTS, 'use_generated_client.py')
    const used = JSON.parse(await python(['python', script, 'client', url, teamToken]))
    expect(used.calls).toEqual(callsOf(JSON.parse(document)))
    expect(used.apps).toContain('Python')
    expect(used.webhooks.data).toHaveLength(1)
    expect(used.webhooks).toEqual((await headgate.api('GET', '/api/team-webhooks')).json)
    expect(used.query).toMatchObject({ data: { block: { number: 1 } }, empty: false })
    expect(used.reply).toEqual({ id: 7, number: '0x1' })
  })

  test('web3.py makes calls and batches and follows the chain with its defaults', async () => {
    const address = `${headgate.url.replace('http', 'ws')}/eth-devnet/v2/${headgate.appKey}`
    const script = join(SCRIPTS, 'watch_chain.py')
    const seen = JSON.parse(await python(['python', script, address, String(BLOCKS_WATCHED)]))
    const chainId = (await headgate.post(rpc('eth_chainId'))).json.result
    expect([seen.chain_id, seen.batched_number]).toEqual([Number(chainId), seen.block_number])

    for (const { number, hash } of seen.heads) {
      const asked = rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
      expect((await headgate.post(asked)).json.result.hash).toBe(hash)
    }
    for (const { blockHash, logIndex } of seen.logs) {
      const { json } = await headgate.post(rpc('eth_getLogs', [{ blockHash }]))
      const indexes = json.result.map((log: { logIndex: string }) => Number(log.logIndex))
      expect(indexes).toContain(logIndex)
    }
  })

  /** What a program of the virtual environment prints. */
  async function python([program = '', ...words]: string[]): Promise<string> {
    // The generator runs ruff, which it finds in PATH. Nothing here is behind a proxy.
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, NO_PROXY: '127.0.0.1' }
    const command = [join(bin, program), ...words]
    const ran = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
    const streams = [new Response(ran.stdout).text(), new Response(ran.stderr).text()]
    const [printed = '', complained = ''] = await Promise.all(streams)
    if ((await ran.exited) !== 0) throw new Error(`${printed}${complained}`)
    return printed
  }
})

/** The operation ids of a document as Python spells them, sorted. */
function callsOf({ paths }: OpenApi): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .map((id) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .toSorted()
}
