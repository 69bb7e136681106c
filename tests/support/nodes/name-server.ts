import { createSocket } from 'node:dgram'

/** What a name server says of a name: addresses of both families, nothing, or never a word. */
export type Said = { v4?: string[]; v6?: string[]; alias?: string } | 'nothing' | 'silence'

export type NameServer = {
  /** As the runtime takes it. */
  address: string
  /** Names that were asked for, once for each question. */
  asked: string[]
  stop(): Promise<void>
}

type Question = { id: Buffer; name: string; type: number; text: Buffer }

const TYPE_A = 1
const TYPE_CNAME = 5
const TYPE_AAAA = 28
const HEADER_BYTES = 12
const NO_SUCH_NAME = 3
/** An answer, and recursion was asked for and is available. */
const FLAGS = 0x8180
/** Points to the name in the question. */
const THE_NAME = Buffer.from([0xc0, HEADER_BYTES])

/** A name server on loopback that says what a test wants. */
export async function startNameServer(say: (name: string) => Said): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const question = readQuestion(message)
    asked.push(question.name)
    const said = say(question.name)
    if (said !== 'silence') socket.send(answerTo(question, said), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const text = message.subarray(HEADER_BYTES, at + 5)
  const type = message.readUInt16BE(at + 1)
  return { id: message.subarray(0, 2), name: labels.join('.'), type, text }
}

function answerTo({ id, type, text }: Question, said: Exclude<Said, 'silence'>): Buffer {
  const records = said === 'nothing' ? [] : recordsOf(said, type)
  const header = Buffer.alloc(HEADER_BYTES)
  id.copy(header)
  header.writeUInt16BE(FLAGS | (said === 'nothing' ? NO_SUCH_NAME : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, text, ...records])
}

function recordsOf({ v4 = [], v6 = [], alias }: Exclude<Said, string>, type: number): Buffer[] {
  const aliasText = alias === undefined ? null : nameText(alias)
  const owner = aliasText ?? THE_NAME
  const aliases = aliasText ? [record(THE_NAME, TYPE_CNAME, aliasText)] : []
  const four = type === TYPE_A ? v4.map((text) => record(owner, TYPE_A, fourBytes(text))) : []
  const six = type === TYPE_AAAA ? v6.map((text) => record(owner, TYPE_AAAA, sixteen(text))) : []
  return [...aliases, ...four, ...six]
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10)
  middle.writeUInt16BE(type, 0)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt32BE(1, 4)
  middle.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, middle, data])
}

function nameText(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`\0${label}`, 'latin1'))
  for (const label of labels) label[0] = label.length - 1
  return Buffer.concat([...labels, Buffer.alloc(1)])
}

function fourBytes(text: string): Buffer {
  return Buffer.from(text.split('.').map(Number))
}

/** All eight groups are written out. */
function sixteen(text: string): Buffer {
  return Buffer.from(
    text
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  )
}
