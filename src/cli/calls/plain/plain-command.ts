import type { AnswerOf, CallId, InputArgument } from '@headgate/client'
import type { Command } from 'commander'
import { CONTRACT } from '../../../http/contract/contract.ts'
import type { Operation } from '../../../http/contract/operation.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { callCommand } from '../call-command.ts'
import {
  type CallInputs,
  type CallRequest,
  callInputs,
  exampleLine,
  type InputWords,
  memberOf,
  requestOf,
} from './call-inputs.ts'
import { findNamed } from './find-named.ts'
import { sayPlain } from './plain-view.ts'

export const NOTHING_TO_CHANGE = 'Nothing to change. Pass at least one option; see --help.'

type PlainId = Extract<keyof typeof CONTRACT, CallId>

type Target = { id: string; name?: string; webhook_url?: string }

type Given = ConnectionOptions & Readonly<Record<string, unknown>> & { yes?: boolean }

export type PlainWords<Id extends PlainId> = InputWords & {
  /** One line of the group's help; the summary of the call where nothing is said. */
  does?: string
  more?: string
  /** Lines that work when pasted; one is made of the contract where nothing is said. */
  examples?: readonly (readonly [line: string, purpose: string])[]
  /** The question before it is done; null where none is needed. */
  asks?(target: Target, body: Readonly<Record<string, unknown>>): string | null
  /** Completes a body, of files or of what the service says. */
  complete?(calling: Calling, body: CallRequest['body']): Promise<CallRequest['body']>
  /** The option that takes the operator's token, of a call that is not the operator's alone. */
  operatorFor?: string
  fields?: readonly string[]
  /** Shows the answer, instead of its fields. */
  say?(calling: Calling, data: DataOf<Id>, body: CallRequest['body']): void
  /** A line below the answer. */
  note?: string
}

type DataOf<Id extends CallId> = AnswerOf<Id> extends { data: infer Data } ? Data : undefined

/** Declares a command that makes one call: all that is not said here comes from the contract. */
export function plainCommand<Id extends PlainId>(
  group: Command,
  name: string,
  id: Id,
  words: PlainWords<Id> = {},
): void {
  const operation: Operation = CONTRACT[id]
  const inputs = callInputs(operation, words)
  const does = words.does ?? operation.summary.replace(/^./, (first) => first.toLowerCase())
  const line = exampleLine(`${group.name()} ${name}`, inputs, operation)
  const command = callCommand(group, name, { examples: [[line, does]], ...words, does })
  for (const { argument } of inputs.arguments) command.addArgument(argument)
  for (const { option } of inputs.options) command.addOption(option)
  if (words.asks) command.option('--yes', 'do not ask')
  command.action((...all: unknown[]) => {
    // Arguments come first, then the options, then the command itself.
    const [first, ...others] = all.slice(0, -2)
    const given = all.at(-2) as Given
    const isOperators = operation.audience === 'operator' || (words.operatorFor ?? '') in given
    const run = async (calling: Calling) => {
      const found = words.findIn && (await findNamed(calling, words.findIn, String(first)))
      const target: Target = found ?? { id: String(first) }
      const request = requestOf(inputs, [found?.id ?? first, ...others], given)
      if (isEmptyChange(operation, inputs, request)) complain(NOTHING_TO_CHANGE, 'badInput')
      const question = words.asks?.(target, request.body)
      if (question) await confirm(question, given)

      const body = (await words.complete?.(calling, request.body)) ?? request.body
      const input = { parameters: request.parameters, ...(operation.body && { body }) }
      // A list has all that a read of one thing has.
      const isRead = operation.method === 'get' && found !== undefined
      const answer = isRead
        ? { data: found }
        : await calling.client.call(id, ...([input] as unknown as InputArgument<Id>))
      const data = memberOf(answer, 'data')
      if (data === undefined) return sayDone(calling, operation, target.id)
      calling.terminal.show(data, () => {
        const schema = operation.answer.schema.properties?.data ?? {}
        if (words.say) words.say(calling, data as DataOf<Id>, body)
        else sayPlain(calling, data, schema, words.fields)
        if (words.note !== undefined) calling.terminal.say('', words.note)
      })
    }
    return runCall(given, run, isOperators ? 'operator' : 'team')
  })
}

function isEmptyChange(operation: Operation, inputs: CallInputs, { body }: CallRequest): boolean {
  const isChange = operation.method === 'patch' || operation.method === 'put'
  return isChange && inputs.options.length > 0 && Object.keys(body).length === 0
}

function sayDone({ terminal }: Calling, operation: Operation, id: string): void {
  const member = 'name' in operation.parameters ? 'name' : 'id'
  const deed = operation.answer.description.replace(/\.$/, '')
  terminal.show({ [member]: id, deleted: true }, () => terminal.say(`${deed} ${id}.`))
}
