import type { AnswerOf } from '../../../src/http/contract/contract.ts'

/** A variable as the list of them has it. */
export type TeamVariable = AnswerOf<'listVariables'>['data'][number]
