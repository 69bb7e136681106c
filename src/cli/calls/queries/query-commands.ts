import type { Command } from 'commander'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { bytesText, countText, numberText, shortHash, spanText } from '../../terminal/formats.ts'
import { harmlessText } from '../../terminal/harmless-text.ts'
import { asking, callCommand, told, wholeNumber } from '../call-command.ts'
import { sayPlain, sayTable } from '../plain/plain-view.ts'
import { faultLines, withQueryFaults } from './query-faults.ts'
import { networkFor, type QuerySource, readQuery } from './query-source.ts'

type RunOptions = { network?: string; block?: string; graphql?: string }

const ESTIMATE_BLOCKS_MAX = 50

export function addQueryCommands(group: Command): void {
  told(group, {
    examples: [
      ['query run transfers.graphql --block 23800000', 'its result on one block'],
      ['query check transfers.graphql', 'is it right?'],
    ],
  })
  const run = callCommand(group, 'run', {
    does: 'run a query on one block, and show its result',
    more:
      'The result is shown as it would be delivered, with its size and price. Nothing is stored, ' +
      'and it costs nothing. The team’s variables are used as they are now.',
    examples: [
      ['query run transfers.graphql', 'on the newest block'],
      ['query run transfers.graphql --block 23800000', 'on another'],
      ['query run --graphql "{ block { number } }" --json | jq .data', 'for scripts'],
    ],
  })
  queryOptions(run)
    .option('--block <block>', 'a number, a hash or latest (default: latest)')
    .action(asking(runQuery))

  const check = callCommand(group, 'check', {
    does: 'check a query, and show each mistake at its place',
    more: 'No node is asked. Exit code 1 if it is wrong.',
    examples: [['query check transfers.graphql', 'in an editor, or before a commit']],
  })
  queryOptions(check).action(asking(checkQuery))

  const estimate = callCommand(group, 'estimate', {
    does: 'estimate what a webhook with this query would deliver and cost',
    examples: [['query estimate transfers.graphql --skip-empty', 'for 30 days at this pace']],
  })
  const blocks = wholeNumber(1, ESTIMATE_BLOCKS_MAX)
  queryOptions(estimate)
    .option('--blocks <count>', 'how many of the newest blocks', blocks, ESTIMATE_BLOCKS_MAX)
    .option('--skip-empty', 'as if only results that are not empty were delivered')
    .action(asking(estimateQuery))

  callCommand(group, 'schema', {
    does: 'print the schema that queries are written against',
    examples: [['query schema > schema.graphql', 'for an editor']],
  }).action(asking(printSchema))
}

function queryOptions(command: Command): Command {
  return command
    .argument('[file]', 'a file with the query, or - for standard input')
    .option('--graphql <text>', 'the query itself, instead of a file')
    .option('--network <id>', 'the network (default: the only one that there is)')
}

async function runQuery(
  calling: Calling,
  file: string | undefined,
  { block, graphql, network: given }: RunOptions,
): Promise<void> {
  const { client, terminal } = calling
  const text = await queryOf({ query: file, graphql })
  const network = await networkFor(calling, given)
  const result = await withQueryFaults(calling, { text, network }, () =>
    client.call('testQuery', {
      body: {
        network,
        graphql_query: text,
        ...(block !== undefined && block !== 'latest' && { block }),
      },
    }),
  )
  terminal.show(result, () => {
    terminal.json(result.data)
    const { number, hash } = result.block
    terminal.note('', `Block ${numberText(number)} ${shortHash(hash)} of ${network}.`)
    const price = `${bytesText(result.bytes)}, ${numberText(result.cu)} CU`
    terminal.note(`A delivery of this is ${price}; this run costs nothing.`)
    if (result.empty) terminal.note('It is empty: with --skip-empty nothing would be delivered.')
    if (result.truncated) terminal.note('It was over 10 MB, and lists were cut.')
    for (const name of result.variables ?? []) {
      terminal.note(`There is no variable ${name}, so it matches nothing.`)
    }
  })
}

async function checkQuery(
  calling: Calling,
  file: string | undefined,
  { graphql, network }: RunOptions,
): Promise<void> {
  const { client, terminal } = calling
  const text = await queryOf({ query: file, graphql })
  const { data } = await client.call('checkQuery', {
    body: { graphql_query: text, ...(network !== undefined && { network }) },
  })
  if (!data.ok) process.exitCode = EXIT_CODES.failed
  terminal.show(data, () => {
    if (!data.ok) {
      const { colours } = terminal
      return terminal.say(...data.errors.flatMap((fault) => faultLines(text, fault, colours)))
    }
    terminal.say(terminal.colours.green('The query is good.'), '')
    const { ok, errors, variables, ...facts } = data
    sayPlain(calling, facts, {})
    if (variables.length === 0) return
    terminal.say('')
    sayTable(calling, ['name', 'kind', 'items'], variables)
  })
}

async function estimateQuery(
  calling: Calling,
  file: string | undefined,
  options: RunOptions & { blocks: number; skipEmpty?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const { graphql, blocks, skipEmpty = false } = options
  const text = await queryOf({ query: file, graphql })
  const network = await networkFor(calling, options.network)
  const { data } = await withQueryFaults(calling, { text, network }, () =>
    client.call('estimateQuery', {
      body: { network, graphql_query: { query: text, skip_empty_messages: skipEmpty }, blocks },
    }),
  )
  terminal.show(data, () => {
    const rows = [
      { what: 'these blocks', deliveries: data.delivered, bytes: data.bytes, cu: data.cu },
      { what: '30 days like them', ...data.month },
      ...(skipEmpty ? [{ what: '30 days, every block', ...data.month_every_block }] : []),
    ]
    const range = `${data.from_block} to ${data.to_block}`
    const every = `a block every ${spanText(data.block_time_ms)}`
    terminal.say(`${countText(data.blocks, 'block')} of ${network} (${range}), ${every}.`, '')
    sayTable(calling, ['what', 'deliveries', 'bytes', 'cu'], rows)
  })
}

async function printSchema({ client, terminal }: Calling): Promise<void> {
  const response = await client.request('getQuerySchema')
  const schema = await response.text()
  terminal.show({ schema }, () => terminal.say(harmlessText(schema.trimEnd())))
}

async function queryOf(source: QuerySource): Promise<string> {
  const text = await readQuery(source)
  return text ?? complain(NO_QUERY, 'badInput')
}

const NO_QUERY = 'Which query? Give a file, - for standard input, or --graphql with its text.'
