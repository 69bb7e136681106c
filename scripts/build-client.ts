import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OPEN_API } from '../src/http/contract/open-api-document.ts'
import { clientSources } from './client/client-sources.ts'

/**
 * Writes the types and the routes of @headgate/client from the OpenAPI document:
 *   npm run build:client
 */

const FOLDER = fileURLToPath(new URL('../packages/client/src/generated/', import.meta.url))

mkdirSync(FOLDER, { recursive: true })
for (const [name, text] of Object.entries(clientSources(OPEN_API))) {
  const path = join(FOLDER, name)
  // A file that is as it should be is left alone: somebody may be reading it.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}
