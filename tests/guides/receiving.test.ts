import { setDefaultTimeout, test } from 'bun:test'
import { followGuide } from './follow-guide.ts'
import { languages } from './languages.ts'

/** Programs of three languages start one after the other, on a machine that may be busy. */
setDefaultTimeout(180_000)

const MISSING = languages().filter(({ missing }) => missing !== null)

test('"Receiving webhooks" can be followed, in each language that is here', async () => {
  await followGuide('receiving-webhooks.md', { without: MISSING.map(({ name }) => name) })
})
