import { writeFileSync } from 'node:fs'
import { CONFIG_SCHEMA } from '../config/config-schema.ts'

const SCHEMA_FILE = new URL('../../headgate.schema.json', import.meta.url)

/** The published schema. Our own words for patterns are left out: strict validators refuse them. */
export function schemaText(): string {
  const text = JSON.stringify(
    CONFIG_SCHEMA,
    (key, value) => (key === 'x-form' ? undefined : value),
    2,
  )
  return `${text.replaceAll(/\[\n[^[\]{}]*\n\s*\]/g, onOneLine)}\n`
}

/** Short lists stay on one line, as the formatter of this repository wants them. */
function onOneLine(list: string): string {
  return list.replaceAll(/\n\s*/g, ' ').replace('[ ', '[').replace(/ \]$/, ']')
}

if (import.meta.main) writeFileSync(SCHEMA_FILE, schemaText())
