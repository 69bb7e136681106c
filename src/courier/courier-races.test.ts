import { describe, expect, test } from 'bun:test'
import { type CourierStage, courierStage } from '../../tests/support/courier-stage.ts'

const SECOND = 1000

describe('what changes between reading and sending', () => {
  test('one that could not be claimed is not overtaken by the next, which is ready', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    const numbers = [await stage.block(id)]
    // The outcome of the first takes several commits; the second waits for them to be claimed.
    stage.database.losesAnswers = true
    stage.egress.sent[0]?.answer({})
    await stage.clock.advance(10)
    stage.database.losesAnswers = false
    numbers.push(await stage.block(id))
    stage.database.losesAnswers = true
    const readResult = gateResults(stage)
    await stage.clock.advance(0)
    stage.database.losesAnswers = false
    numbers.push(await stage.block(id))
    stage.database.losesAnswers = true
    await stage.clock.advance(150)
    stage.database.losesAnswers = false
    readResult()
    for (let round = 0; round < 20; round++) await answerAll(stage)
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('nothing goes to where a webhook is known not to lead any more', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { url: 'https://old.example/hook' })
    await stage.block(id)
    const hearOfClaim = gateNextCommit(stage)
    stage.open()
    await stage.rest()
    await stage.change(id, { url: 'https://new.example/hook' })
    await stage.clock.advance(2 * SECOND)
    hearOfClaim()
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent.map(({ url }) => url)).toEqual(['https://new.example/hook'])
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
  })
})

async function answerAll({ egress, clock, rest }: CourierStage): Promise<void> {
  for (const sent of egress.sent) sent.answer({})
  await clock.advance(SECOND)
  await rest()
}

/** From now on results are not told before the returned function is called. */
function gateResults({ database }: CourierStage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { query } = database
  database.query = async (statement) => {
    const rows = await query<never>(statement)
    if (statement.parts.some((part) => part.includes('FROM results'))) await promise
    return rows
  }
  return resolve
}

/** The next commit is not heard of before the returned function is called. */
function gateNextCommit({ database }: CourierStage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { transaction } = database
  database.transaction = async (work) => {
    database.transaction = transaction
    const result = await transaction(work)
    await promise
    return result
  }
  return resolve
}
