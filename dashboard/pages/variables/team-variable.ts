import type { AnswerOf } from '../../api/wire.ts'

/** A variable as the list of them has it. */
export type TeamVariable = AnswerOf<'listVariables'>['data'][number]
