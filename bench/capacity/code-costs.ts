import { connect } from 'node:net'
import { readTaken, type TakenByKey, writeTaken } from '../../src/metering/limit-frames.ts'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { startFastUpstream, startHeadgate } from '../contenders.ts'
import { benchBlock, compiled, queryKeys, queryText } from '../query-material.ts'

/** Teams that a gateway tells of at once. */
const TEAMS = 1_000

/** The exchange of limits between machines, with its own frames. */
export function frameCosts(rounds: number): string[] {
  const taken = takenBy(TEAMS)
  let frames: string[] = []
  const writeNs = nsEach(rounds, () => {
    frames = writeTaken(taken)
  })
  const readNs = nsEach(rounds, () => {
    for (const frame of frames) readTaken(frame)
  })
  const bytes = frames.reduce((sum, { length }) => sum + length, 0) / TEAMS
  const [write, read] = [writeNs / TEAMS, readNs / TEAMS].map(Math.round)
  return [
    `A team in a limit frame: ${bytes.toFixed(1)} bytes, ${write} ns to write, ${read} ns to read; ` +
      `${Math.floor(TEAMS / frames.length)} teams and more in a frame`,
  ]
}

/** Amounts of so many teams, as a gateway has them after 50 ms. */
export function takenBy(teams: number): TakenByKey {
  const chance = seededChance(teams)
  const all: TakenByKey = new Map()
  for (let at = 0; at < teams; at++) {
    const centiCu = chance.between(1, 50) * 1000
    const key = `team_${at.toString(36).padStart(16, '0')}`
    all.set(key, { throughputCentiCu: centiCu, billedCentiCu: centiCu, cuPerSecond: 10_000 })
  }
  return all
}

/** Compiling the queries of webhooks, as a follower does when it starts. */
export function compileCost(queries: number): string {
  const chance = seededChance(11)
  const block = benchBlock()
  const texts = Array.from({ length: queries }, (_, at) =>
    queryText(queryKeys(chance, block, at % 2 === 0)),
  )
  const ns = nsEach(1, () => texts.forEach((text) => void compiled(text)))
  return `A standing query of three lists: ${Math.round(ns / 1000 / queries)} µs to compile`
}

/** Bytes of a small call on the wire, without what TCP adds: to us, and back. */
export async function callBytes(): Promise<string> {
  await using opened = new AsyncDisposableStack()
  const upstream = opened.adopt(await startFastUpstream(), (one) => one.stop())
  const node = [{ name: 'node', url: upstream.url }]
  const gate = opened.adopt(await startHeadgate(node), (one) => one.stop())
  const { host, port, pathname } = new URL(gate.url)
  const address = `0x${'0'.repeat(39)}1`
  const params = [address, 'latest']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params })
  const request =
    `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const answered = await exchanged(Number(port), request)
  return `A small call: ${request.length} bytes to us, ${answered} back`
}

/** The bytes of the first answer, which comes in one piece. */
function exchanged(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => void socket.write(request))
    socket.once('data', (bytes) => {
      socket.destroy()
      resolve(bytes.length)
    })
    socket.once('error', reject)
  })
}

/** CPU of this process for one round, after one that only warms up. */
function nsEach(rounds: number, work: () => void): number {
  work()
  const before = process.cpuUsage()
  for (let at = 0; at < rounds; at++) work()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / rounds
}
