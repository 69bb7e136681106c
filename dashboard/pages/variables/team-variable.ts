import type { AnswerOf } from '../../api/wire.ts'

export type TeamVariable = AnswerOf<'listVariables'>['data'][number]
