import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { type FakeNode, startFakeNode } from '../support/nodes/fake-node.ts'
import { freePort } from '../support/nodes/free-port.ts'
import { stopProcess } from '../support/product/configured-process.ts'
import {
  cleanUp,
  configText,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../support/product/headgate-process.ts'
import {
  canEnterImages,
  type EmulatedImage,
  emulateImage,
  inImage,
  instructionsOf,
} from './emulated-image.ts'

/** The executable is built in a second or two, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

describe('the Dockerfile', () => {
  const last = (name: string) =>
    instructionsOf(DOCKERFILE).findLast((instruction) => instruction.name === name)?.text ?? ''

  test('is free of what its linter finds', () => {
    expect(validate(DOCKERFILE).map(({ message }) => message)).toEqual([])
  })

  test('runs the program itself, as a user without a name or rights', () => {
    expect(last('USER')).toMatch(/^[1-9]\d{4}:[1-9]\d{4}$/)
    expect(last('ENTRYPOINT')).toBe('["/headgate"]')
    expect(last('STOPSIGNAL')).toBe('SIGTERM')
    expect(last('VOLUME')).toBe('/data')
  })

  test('has the executable of production in it', () => {
    expect(DOCKERFILE).toContain('\nRUN npm run build:executable -- --production ')
  })

  test('gives the runtime the room for requests that npm start gives it', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [variable = ''] = /BUN_CONFIG_MAX_HTTP_REQUESTS=\d+/.exec(scripts.start) ?? []
    expect(last('ENV')).toContain(variable)
  })
})

// Needs Linux, and the right to mount in a name space of one's own.
describe.skipIf(!canEnterImages())('the image, on a root that is read-only', () => {
  let node: FakeNode
  let folder = ''
  let image: EmulatedImage

  beforeAll(() => {
    node = startFakeNode('node-a')
    folder = mkdtempSync(join(tmpdir(), 'headgate-image-'))
    image = emulateImage(folder)
  })

  afterEach(cleanUp)

  afterAll(() => {
    node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('serves, is healthy while it does, and stops when told', async () => {
    const { home, data } = volume(image)
    writeConfig(data, configText([node]))
    const listen = `127.0.0.1:${freePort()}`
    const env = { HEADGATE_LISTEN: listen, HEADGATE_CONFIG: '/data/headgate.yaml' }
    const healthcheck = inImage(image, data, image.healthcheck, env)
    expect(Bun.spawnSync(healthcheck).exitCode).toBe(1)

    const command = inImage(image, data, image.entrypoint, env)
    const headgate = await startProcess({ folder: home, command })
    const answer = await fetch(`http://${listen}/eth-mainnet/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    })
    expect(await answer.json()).toMatchObject({ result: '0x1' })
    const status = readFileSync(`/proc/${headgate.pid}/status`, 'utf8')
    if (process.getuid?.() === 0) expect(status).toContain(`Uid:\t${image.user.split(':')[0]}\t`)
    expect(Bun.spawnSync(healthcheck).exitCode).toBe(0)

    await stopProcess(headgate)
    expect(await headgate.exited).toBe(0)
    expect(readdirSync(image.root).filter((name) => name.startsWith('data'))).toEqual(['data'])
    expect(readdirSync(join(image.root, 'data'))).toEqual([])
  })

  test('is for production, and says so where it has no configuration', async () => {
    const { home, data } = volume(image)
    const env = { HEADGATE_LISTEN: '127.0.0.1:0' }
    const command = inImage(image, data, image.entrypoint, env)
    expect(await runToEnd({ folder: home, command })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'This executable was built for production, without the development chains. Take the one ' +
        'that has them for local development, or name your own networks in a configuration file ' +
        '(--config).\n',
    })
  })

  test('cannot be written to but in /data and /tmp', () => {
    const { data } = volume(image)
    const touch = (file: string) => {
      const command = ['touch', file]
      return Bun.spawnSync(inImage(image, data, command, {})).exitCode === 0
    }
    const files = ['/data/a', '/tmp/a', '/a', '/headgate', '/etc/a', '/usr/a']
    expect(files.map(touch)).toEqual([true, true, false, false, false, false])
  })
})

/** A folder as Docker makes one for a volume: its owner is that of /data in the image. */
function volume({ user }: EmulatedImage): { home: string; data: string } {
  const home = newFolder()
  const data = join(home, 'data')
  mkdirSync(data)
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  if (process.getuid?.() === 0) chownSync(data, uid, gid)
  return { home, data }
}
