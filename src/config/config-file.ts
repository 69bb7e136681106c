import { closeSync, openSync, readSync } from 'node:fs'
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from 'yaml'
import { fieldName, isJsonObject, JSON_DEPTH_MAX, type JsonPath } from '../core/json/json-value.ts'

export type ConfigFile = { value: Record<string, unknown>; lineOf(path: JsonPath): number }

export type FileFault = { line?: number; message: string }

type Reading = {
  lineAt(offset: number): number
  lines: Map<string, number>
  anchors: Map<string, unknown>
  aliases: number
  faults: FileFault[]
}

/** Hundreds of networks take a tenth of this, and for more the parser needs seconds. */
const FILE_BYTES_MAX = 1_048_576

/** An alias copies nothing here, but every check walks through what it stands for. */
const ALIASES_MAX = 100

const FAULTS_MAX = 20

/** The parser's own words quote the file, which may hold passwords, so these replace them. */
const SYNTAX_WORDS: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a value must not start with * here; put it in quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'a value must not start with this character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two options stand on one line; a value with a colon needs quotes',
  DUPLICATE_KEY: 'an option is given twice',
  MISSING_CHAR: 'a colon, comma, quote or bracket is missing',
  MULTILINE_IMPLICIT_KEY: 'an option is cut in two, or the space after its colon is missing',
  MULTIPLE_DOCS: 'only one document may be in the file; remove the --- line',
  RESOURCE_EXHAUSTION: 'this is nested too deeply',
  TAB_AS_INDENT: 'tabs cannot indent; use spaces',
  TAG_RESOLVE_FAILED: 'tags (words that start with !) are not used here',
}

/** The bytes of a file, bounded; a sentence when it cannot be read. */
export function readConfigFile(file: string): Uint8Array | string {
  let handle: number | undefined
  try {
    handle = openSync(file, 'r')
    const bytes = new Uint8Array(FILE_BYTES_MAX + 1)
    let length = 0
    // A pipe gives its content in pieces, so its size is not known beforehand.
    while (length < bytes.length) {
      const read = readSync(handle, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    return `the configuration file cannot be read (${code})`
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Reads YAML without trusting it: no tags, no doubled names, bounded size, depth and aliases. */
export function parseConfigFile(bytes: Uint8Array): ConfigFile | FileFault[] {
  if (bytes.length > FILE_BYTES_MAX) return [{ message: 'the file is larger than 1 MiB' }]
  const text = decode(bytes)
  if (text === undefined) return [{ message: 'the file is not UTF-8 text' }]

  const counter = new LineCounter()
  // The parser's own search for doubled names takes a minute for 60,000 of them; ours is below.
  const options = { lineCounter: counter, prettyErrors: false, uniqueKeys: false } as const
  const document = parseDocument(text, { ...options, logLevel: 'error' })
  const lineAt = (offset: number) => counter.linePos(offset).line
  const wrong = [...document.errors, ...document.warnings]
  if (wrong.length > 0) return wrong.slice(0, FAULTS_MAX).map((error) => syntaxFault(error, lineAt))

  const reading: Reading = { lineAt, lines: new Map(), anchors: new Map(), aliases: 0, faults: [] }
  const value = document.contents === null ? {} : toValue(reading, document.contents, [])
  if (reading.faults.length > 0) return reading.faults.slice(0, FAULTS_MAX)
  if (value !== null && !isJsonObject(value)) {
    return [{ line: 1, message: 'the file must hold options, such as listen: 127.0.0.1:8080' }]
  }
  return { value: value ?? {}, lineOf: (path) => closestLine(reading.lines, path) }
}

function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function syntaxFault(error: YAMLError, lineAt: (offset: number) => number): FileFault {
  const words = SYNTAX_WORDS[error.code] ?? `this is not valid YAML (${error.code})`
  return { line: lineAt(error.pos[0]), message: words }
}

/** Turns a node into a plain value; an alias becomes the very value that its anchor has. */
function toValue(reading: Reading, node: ParsedNode, path: JsonPath): unknown {
  if (reading.faults.length >= FAULTS_MAX) return null
  if (path.length > JSON_DEPTH_MAX) return refuse(reading, node, 'this is nested too deeply')
  if (node.tag !== undefined) return refuse(reading, node, SYNTAX_WORDS.TAG_RESOLVE_FAILED!)
  if (path.length > 0 && !reading.lines.has(lineKey(path))) noteLine(reading, node, path)
  if (isAlias(node)) return aliased(reading, node)

  const value = isScalar(node)
    ? node.value
    : isSeq<ParsedNode>(node)
      ? node.items.map((item, at) => toValue(reading, item, [...path, at]))
      : toObject(reading, node, path)
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, value)
  return value
}

function aliased(reading: Reading, node: ParsedNode & { source: string }): unknown {
  reading.aliases++
  if (reading.aliases > ALIASES_MAX) {
    return refuse(reading, node, `more than ${ALIASES_MAX} aliases are in the file`)
  }
  // An anchor is known once its value is complete, so nothing can contain itself.
  if (!reading.anchors.has(node.source)) {
    return refuse(reading, node, 'an alias stands for an anchor that is not set before it')
  }
  return reading.anchors.get(node.source)
}

function toObject(reading: Reading, node: ParsedNode, path: JsonPath): unknown {
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return refuse(reading, node, 'this is no value')
  const members = new Map<string, unknown>()
  for (const { key, value } of node.items) {
    if (reading.faults.length >= FAULTS_MAX) break
    if (!isScalar(key)) {
      refuse(reading, key, 'the name of an option must be plain text')
      continue
    }
    const name = String(key.value)
    const at = [...path, name]
    if (members.has(name)) refuse(reading, key, `${fieldName(at)} is given twice`)
    noteLine(reading, key as ParsedNode, at)
    members.set(name, value === null ? null : toValue(reading, value, at))
  }
  // From entries, so that a name like __proto__ stays a plain name.
  return Object.fromEntries(members)
}

function refuse(reading: Reading, node: ParsedNode, message: string): null {
  reading.faults.push({ line: reading.lineAt(node.range[0]), message })
  return null
}

function noteLine(reading: Reading, node: ParsedNode, path: JsonPath): void {
  reading.lines.set(lineKey(path), reading.lineAt(node.range[0]))
}

function lineKey(path: JsonPath): string {
  return JSON.stringify(path)
}

/** A missing option has no line of its own, so it gets the line of the object that lacks it. */
function closestLine(lines: ReadonlyMap<string, number>, path: JsonPath): number {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(lineKey(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}
