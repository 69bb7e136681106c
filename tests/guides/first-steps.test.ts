import { setDefaultTimeout, test } from 'bun:test'
import { followGuide } from './follow-guide.ts'

/** A dozen commands each start a program, on a machine that may be busy. */
setDefaultTimeout(180_000)

test('"Your first webhook in five minutes" can be followed', async () => {
  // Blocks come by themselves here, and a reader has more patience than a test.
  await followGuide('guides/first-webhook.md', { env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '300' } })
})

test('"Test your app against reorganisations" can be followed', async () => {
  await followGuide('guides/reorganisations.md')
})

test('a query of the cookbook can be used from the command line', async () => {
  await followGuide('cookbook.md')
})
