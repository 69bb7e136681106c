import { until } from '../support/basics/until.ts'
import type { Language } from './languages.ts'

/** One of the examples of receivers, running. */
export type StartedReceiver = {
  url: string
  /** The chain as the deliveries told it. */
  blocks(): Promise<Record<string, string>>
  said(): string
  stop(): Promise<void>
}

export async function startReceiver(
  { command }: Language,
  env: Record<string, string>,
): Promise<StartedReceiver> {
  const child = Bun.spawn(command(), {
    env: { ...process.env, PORT: '0', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) said += decoder.decode(chunk, { stream: true })
  }
  const read = Promise.all([collect(child.stdout), collect(child.stderr)])
  await until(() => said.includes('/hook\n'), 'the receiver says where it is')
  const url = /http:\S+(?=\/hook)/.exec(said)?.[0] ?? ''
  return {
    url,
    blocks: async () => (await (await fetch(`${url}/blocks`)).json()) as Record<string, string>,
    said: () => said,
    async stop() {
      child.kill()
      await Promise.all([child.exited, read])
    },
  }
}
