import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/basics/until.ts'
import { addManyDeliveries } from '../../support/deliveries/many-deliveries.ts'
import { runMove, startMove } from '../../support/product/move-process.ts'
import { moveStage } from '../../support/product/move-stage.ts'
import { lacksPostgres, WORLD } from '../../support/product/world.ts'

/** The whole promise is 1,000,000 deliveries, which takes minutes. */
const DELIVERIES = Number(process.env.HEADGATE_MOVE_DELIVERIES ?? 1_000)
const TEST_MS_MAX = DELIVERIES > 100_000 ? 60 * 60_000 : 120_000
setDefaultTimeout(TEST_MS_MAX)

describe.skipIf(WORLD === 'postgres' || lacksPostgres())('headgate migrate', () => {
  const stage = moveStage()
  const there = () => ['--from', './data', '--to', stage.url]
  const ofFolder = () => ({ HEADGATE_SECRET: stage.secret() })
  const move = (args: readonly string[], env: Record<string, string>) =>
    runMove(args, { folder: stage.folder, env })

  /** Kills a migration once it has said so. */
  async function killAfter(words: string): Promise<string> {
    const killed = startMove(there(), { folder: stage.folder, env: ofFolder() })
    const endsAtMs = Date.now() + TEST_MS_MAX
    while (!killed.said().includes(words)) {
      if (Date.now() > endsAtMs) throw new Error(`it never said ${words}: ${killed.said()}`)
      await Bun.sleep(1)
    }
    killed.kill()
    expect((await killed.ended).exitCode).not.toBe(0)
    return killed.said()
  }

  test(`copies ${DELIVERIES} deliveries, also after a kill; what waited is delivered once`, async () => {
    const waiting = await stage.use()
    addManyDeliveries(join(stage.data, 'headgate.sqlite'), DELIVERIES, Date.now())
    const killed = await killAfter('copied chains')
    const early = await stage.run(stage.cluster())
    expect(early.exitCode).toBe(1)
    expect(early.stderr).toContain('is not finished; run headgate migrate again')
    const beganAtMs = Date.now()
    const ended = await move(there(), ofFolder())
    const seconds = (Date.now() - beganAtMs) / 1000
    expect(ended).toMatchObject({ exitCode: 0 })
    expect(ended.stdout).toMatch(/^Migrated [\d,]+ rows/)
    expect(ended.stderr).toContain('copied teams')
    expect(killed + ended.stderr + ended.stdout).not.toContain(stage.secret())

    const found = await stage.digests()
    expect(found.ofServer).toEqual(found.ofFolder)
    expect(Number(found.ofServer.get('deliveries')?.split(' ')[0])).toBeGreaterThanOrEqual(
      DELIVERIES,
    )
    console.log(`${seconds} s after a kill: ${ended.stdout}${ended.stderr}`)
    const again = await move(there(), ofFolder())
    expect(again.exitCode).toBe(1)
    expect(again.stderr).toContain('the target is not empty')

    stage.receiver.answer = () => 200
    const before = stage.receiver.arrivals.length
    const headgate = await stage.start(stage.cluster())
    await until(() => stage.receiver.acceptedOn('/bad').length >= 2, 'what waited is delivered')
    stage.node.mine()
    await until(() => stage.receiver.arrivals.length >= before + 4, 'a block is delivered')
    await stage.stop(headgate)
    const arrived = stage.receiver.arrivals.slice(before)
    expect(arrived).toHaveLength(4)
    const ids = arrived.filter(({ path }) => path === '/bad').map(({ json }) => json.id)
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining(waiting))
  })

  test('is refused where it would do harm, and says what to do', async () => {
    const headgate = await stage.start()
    const env = { HEADGATE_SECRET: stage.secret() }
    const inUse = await move(there(), env)
    expect(inUse.exitCode).toBe(1)
    expect(inUse.stderr).toContain('another Headgate uses the folder ./data')
    await stage.stop(headgate)

    for (const wrong of [{}, { HEADGATE_SECRET: 'ab'.repeat(32) }] as Record<string, string>[]) {
      const ended = await move(there(), wrong)
      expect(ended.exitCode).toBe(2)
      expect(ended.stderr).toContain('Set it to the 64 hex digits in data/instance-secret')
      expect(ended.stderr).not.toContain(stage.secret())
    }
    const away = ['--from', './data', '--to', 'postgres://someone:pass-word@127.0.0.1:1/x']
    const unreachable = await move(away, env)
    expect(unreachable.exitCode).toBe(1)
    expect(unreachable.stderr).toContain('The PostgreSQL server at 127.0.0.1:1 cannot be used')
    expect(unreachable.stderr).not.toMatch(/pass-word|someone/)

    const nowhere = await move(['--from', './none', '--to', stage.url], env)
    expect(nowhere).toMatchObject({
      exitCode: 1,
      stderr: 'The migration failed: there is no none/headgate.sqlite.\n',
    })
    expect(() => statSync(join(stage.folder, 'none'))).toThrow()
    const back = await move(['--from', stage.url, '--to', './other'], env)
    expect(back.exitCode).toBe(2)
    expect(back.stderr).toContain('restore your backup')

    renameSync(stage.data, join(stage.folder, 'other'))
    await stage.stop(await stage.start({ ...env, HEADGATE_DATABASE: stage.url }))
    const full = await move(['--from', './other', '--to', stage.url], env)
    expect(full).toMatchObject({ exitCode: 1 })
    expect(full.stderr).toContain('the target is not empty')
  })
})
