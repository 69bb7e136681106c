import { errorText, Failure, type FailureCode } from '../../core/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own.
type Functions = Record<string, (...args: any[]) => unknown>

type Message =
  | ['call', id: number, name: string, args: unknown[]]
  | ['answer', id: number, value: unknown]
  | ['fault', id: number, code: FailureCode | null, text: string]

/** Calls the functions of another process, and answers its calls, over one channel. */
export type ProcessCalls<Theirs extends Functions> = {
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>
  /** Takes what the channel brings. */
  receive(sent: unknown): void
  /** The other process is gone: calls that wait fail, and so do all later ones. */
  end(): void
}

/** Arguments and answers travel as JSON. What happens in one turn travels together. */
export function openProcessCalls<Theirs extends Functions>(
  send: (messages: unknown) => void,
  offered: Functions,
): ProcessCalls<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let isEnded = false
  let unsent: Message[] = []

  const post = (message: Message) => {
    if (unsent.push(message) > 1) return
    queueMicrotask(() => {
      const messages = unsent
      unsent = []
      if (!isEnded) send(messages)
    })
  }
  const answer = async (id: number, name: string, args: unknown[]) => {
    try {
      post(['answer', id, await offered[name]?.(...args)])
    } catch (thrown) {
      post(['fault', id, thrown instanceof Failure ? thrown.code : null, errorText(thrown)])
    }
  }
  const settle = (message: Exclude<Message, ['call', ...unknown[]]>) => {
    const [kind, id] = message
    const one = waiting.get(id)
    waiting.delete(id)
    if (kind === 'answer') one?.resolve(message[2])
    else one?.reject(message[2] === null ? new Error(message[3]) : new Failure(message[2]))
  }

  return {
    call(name, ...args) {
      if (isEnded) return Promise.reject(gone())
      const reply = Promise.withResolvers<Awaited<ReturnType<Theirs[typeof name]>>>()
      const id = ++lastId
      waiting.set(id, reply as PromiseWithResolvers<unknown>)
      post(['call', id, name, args])
      return reply.promise
    },
    receive(sent) {
      for (const message of sent as Message[]) {
        if (message[0] === 'call') void answer(message[1], message[2], message[3])
        else settle(message)
      }
    },
    end() {
      isEnded = true
      for (const one of waiting.values()) one.reject(gone())
      waiting.clear()
    },
  }
}

function gone(): Failure {
  return new Failure('database_unavailable', { reason: 'the other process is gone' })
}
