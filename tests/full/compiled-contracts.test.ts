import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { contractFiles } from '../../scripts/build-contracts.ts'

const FOLDER = new URL('../../packages/devnet/contracts/', import.meta.url)

test('the code is that of the sources, which `bun scripts/build-contracts.ts` compiles', () => {
  const files = contractFiles()
  expect([...files.keys()].map((path) => basename(path)).sort()).toEqual(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json'))
      .sort(),
  )
  for (const [path, text] of files) expect(readFileSync(path, 'utf8')).toBe(text)
})
