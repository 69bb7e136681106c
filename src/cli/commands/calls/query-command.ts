import type { Command } from 'commander'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, wholeNumber } from './call-command.ts'

type Said = ConnectionOptions & { graphql?: string; network?: string }

const ESTIMATE_BLOCKS_MAX = 50

/** `headgate query`: queries that are tried before a webhook is made of them. */
export function addQueryCommand(program: Command): void {
  const group = callGroup(program, 'query', {
    does: 'try queries before a webhook is made of them',
    examples: [
      ['query run transfers.graphql --block 23800000', 'its result on one block'],
      ['query check transfers.graphql', 'is it right?'],
    ],
  })
  addRunCommand(group)
  addCheckCommands(group)
}

function addRunCommand(group: Command): void {
  const command = callCommand(group, 'run', {
    does: 'run a query on one block, and show its result',
    more:
      'The result stands as it would be delivered; its size and price are told beside it. Nothing ' +
      'is stored, and it costs nothing. The team’s variables count as they are now.',
    examples: [
      ['query run transfers.graphql', 'on the newest block'],
      ['query run transfers.graphql --block 23800000', 'on another'],
      ['query run --graphql "{ block { number } }" --json | jq .data', 'for scripts'],
    ],
  })
  queryOptions(command)
    .option('--block <block>', 'a number, a hash or latest (default: latest)')
    .action((file: string | undefined, options: Said & { block?: string }) =>
      runCall(options, async (calling) => {
        const { runQuery } = await import('../../calls/queries/run-query.ts')
        await runQuery(calling, file, options)
      }),
    )
}

function addCheckCommands(group: Command): void {
  const check = callCommand(group, 'check', {
    does: 'check a query, and show each mistake at its place',
    more: 'No node is asked. Exit code 1 where it is wrong.',
    examples: [['query check transfers.graphql', 'in an editor, or before a commit']],
  })
  queryOptions(check).action((file: string | undefined, options: Said) =>
    runCall(options, async (calling) => {
      const { checkQuery } = await import('../../calls/queries/run-query.ts')
      await checkQuery(calling, file, options)
    }),
  )

  const estimate = callCommand(group, 'estimate', {
    does: 'say what a webhook with this query would deliver and cost',
    examples: [['query estimate transfers.graphql --skip-empty', 'for 30 days at this pace']],
  })
  const blocks = wholeNumber(1, ESTIMATE_BLOCKS_MAX)
  queryOptions(estimate)
    .option('--blocks <count>', 'how many of the newest blocks', blocks, ESTIMATE_BLOCKS_MAX)
    .option('--skip-empty', 'as if only results that are not empty were delivered')
    .action((file: string | undefined, options: Said & { blocks: number; skipEmpty?: boolean }) =>
      runCall(options, async (calling) => {
        const { estimateQuery } = await import('../../calls/queries/run-query.ts')
        await estimateQuery(calling, file, options)
      }),
    )

  callCommand(group, 'schema', {
    does: 'print the schema that queries are written against',
    examples: [['query schema > schema.graphql', 'for an editor']],
  }).action((options: Said) =>
    runCall(options, async (calling) => {
      const { printSchema } = await import('../../calls/queries/run-query.ts')
      await printSchema(calling)
    }),
  )
}

function queryOptions(command: Command): Command {
  return command
    .argument('[file]', 'a file with the query, or - for standard input')
    .option('--graphql <text>', 'the query itself, instead of a file')
    .option('--network <id>', 'the network (default: the only one that there is)')
}
