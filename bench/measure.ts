import type { Sample } from './compare.ts'
import { type Contender, cpuSeconds, load } from './contenders.ts'
import type { LoadOrder } from './load-generator.ts'

export type Offered = Omit<LoadOrder, 'url'>

/** Puts a load on a server and says what came of it and what it cost that server's process. */
export async function measureLoad(contender: Contender, offered: Offered): Promise<Sample> {
  const before = cpuSeconds(contender.pid)
  const report = await load({ ...offered, url: contender.url })
  const cpuS = cpuSeconds(contender.pid) - before
  return {
    perSecond: report.calls / report.seconds,
    cpuUsPerCall: (cpuS * 1e6) / Math.max(1, report.calls),
    p50Ms: report.p50Ms,
    p99Ms: report.p99Ms,
    failed: report.failed,
  }
}

/** The same with wrk, which takes less of the machine for itself; null where it is missing. */
export async function measureWrk(
  contender: Contender,
  seconds: number,
  calls: 'unique' | 'same',
): Promise<Sample | null> {
  if (!Bun.which('wrk') || seconds < 1) return null
  const before = cpuSeconds(contender.pid)
  const script = `${import.meta.dir}/${calls}.lua`
  const child = Bun.spawn(
    ['wrk', '-t1', '-c64', `-d${seconds}s`, '--latency', '-s', script, contender.url],
    { stdout: 'pipe' },
  )
  const text = await new Response(child.stdout).text()
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0)
  const cpuS = cpuSeconds(contender.pid) - before
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0),
    cpuUsPerCall: (cpuS * 1e6) / Math.max(1, requests),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(text)),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(text)),
    failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  }
}

function milliseconds(found: RegExpExecArray | null): number {
  const factor = { us: 0.001, ms: 1, s: 1000 }[found?.[2] ?? 'ms'] ?? 1
  return Number(found?.[1] ?? 0) * factor
}
